import pytest

from striate.probe.page_cache.limits import page_cache_limits

MIB = 1 << 20


@pytest.fixture
def settings(tmp_path):
    """A folder like /proc/sys/vm, with the settings given."""

    def written(**values):
        for name, value in values.items():
            (tmp_path / name).write_text(f"{value}\n")
        return tmp_path

    return written


def test_ratios_are_percents_of_the_memory(settings):
    folder = settings(dirty_background_bytes=0, dirty_bytes=0, dirty_background_ratio=5, dirty_ratio=40)

    assert page_cache_limits(1000 * MIB, folder) == (50 * MIB, 400 * MIB)


def test_bytes_go_before_ratios(settings):
    folder = settings(
        dirty_background_bytes=64 * MIB, dirty_bytes=256 * MIB, dirty_background_ratio=0, dirty_ratio=0
    )

    assert page_cache_limits(1000 * MIB, folder) == (64 * MIB, 256 * MIB)


def test_writing_back_begins_at_half_where_it_is_set_to_begin_too_late(settings):
    folder = settings(dirty_background_bytes=0, dirty_bytes=0, dirty_background_ratio=30, dirty_ratio=20)

    assert page_cache_limits(1000 * MIB, folder) == (100 * MIB, 200 * MIB)


def test_a_system_that_does_not_say_has_the_usual_limits(tmp_path):
    assert page_cache_limits(1000 * MIB, tmp_path) == (100 * MIB, 200 * MIB)
