"""`tools/release`, tried on a repository with the files that it changes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = ("tools/release", "CHANGELOG.md", "src/striate/__init__.py", "packaging/spack/striate/package.py")
WHO = {f"GIT_{role}_{what}": "tests" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def in_(folder, *words, **more):
    environment = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, **more)


@pytest.fixture
def clone(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        in_(tmp_path, "git", *words, check=True)
    return tmp_path


def test_a_release_is_one_commit_with_a_tag_and_one_version(clone):
    done = in_(clone, "tools/release", "9.8.7")

    assert done.returncode == 0, done.stderr
    assert '__version__ = "9.8.7"' in (clone / "src/striate/__init__.py").read_text()
    recipe = (clone / "packaging/spack/striate/package.py").read_text()
    assert 'version("9.8.7")' in recipe
    assert "striate-9.8.7.tar.gz" in recipe
    changes = (clone / "CHANGELOG.md").read_text()
    assert changes.index("## [Unreleased]\n") < changes.index("## [9.8.7] - 2")
    assert in_(clone, "git", "describe", "--exact-match").stdout.strip() == "v9.8.7"
    assert in_(clone, "git", "status", "--porcelain").stdout == ""
    assert in_(clone, "git", "log", "--format=%s").stdout.splitlines() == ["Release 9.8.7", "Begin"]


@pytest.mark.parametrize("version", ["9.8", "v9.8.7", "9.8.7rc1"])
def test_a_version_of_another_form_is_refused(clone, version):
    done = in_(clone, "tools/release", version)

    assert (done.returncode, done.stderr) == (1, f"release: '{version}' is not like 1.2.3\n")


def test_uncommitted_changes_and_a_tag_that_exists_are_refused(clone):
    (clone / "CHANGELOG.md").write_text("changed")
    assert "uncommitted changes" in in_(clone, "tools/release", "9.8.7").stderr
    in_(clone, "git", "checkout", "-q", ".", check=True)
    in_(clone, "git", "tag", "v9.8.7", check=True)

    assert "the tag v9.8.7 exists" in in_(clone, "tools/release", "9.8.7").stderr
    assert in_(clone, "git", "status", "--porcelain").stdout == ""
