"""Inside a node no message carries what lies in memory that all ranks share."""


def test_compressed_chunks_are_not_sent(run_ranks, tmp_path):
    said = run_ranks(3, "compressed.py", tmp_path)

    assert said == "0 messages for what became smaller, some messages for noise\n"
