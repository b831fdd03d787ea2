"""A cross-encoder of the user's own has half a say on the best hits."""

from itertools import combinations

import pytest

from h3cold.recall import ColdTier
from h3cold.recall.cli import main
from h3cold.recall.cross_encoder import READ, CrossEncoder
from h3cold.schemas.config import Config, Recall
from h3cold.schemas.errors import ModelError


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    """The folder of a cross-encoder with random weights that knows a few words."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "price", "of", "steel", "sales", "lease", "risk"]
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder = tmp_path_factory.mktemp("models") / "tiny-reader"
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=128,
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        num_labels=1, initializer_range=0.5, max_position_embeddings=128,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def test_it_moves_the_best_by_what_it_reads(made, tier, tiny):
    question = "price of steel"
    with ColdTier.open(made.store, config=Config(recall=Recall(cross_encoder=tiny))) as read:
        hits = read.recall(question, intent="text", top=100)
    plain = tier.recall(question, intent="text", top=100)
    # By text: another piece of a split table may bring it.
    assert {h.text for h in hits} == {h.text for h in plain} and 2 < len(plain) < READ
    assert [h.text for h in hits] != [h.text for h in plain]
    assert all("read again by tiny-reader" in h.reason for h in hits)
    single = [h for h in plain if "parts" not in h.reason]
    scores = CrossEncoder(tiny).scores(question, ["\n".join((*h.headings, h.text)) for h in single])
    before = {h.text: place for place, h in enumerate(plain)}
    after = {h.text: place for place, h in enumerate(hits)}
    for first, second in combinations(range(len(single)), 2):  # where both agree, so does the fused order
        if scores[first] > scores[second] and before[single[first].text] < before[single[second].text]:
            assert after[single[first].text] < after[single[second].text]
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


@pytest.mark.parametrize("name", ["/no/such/folder", "./none"])
def test_a_folder_that_is_not_there_is_told(made, name):
    with pytest.raises(ModelError, match=r"no such folder.*cross_encoder"):
        ColdTier.open(made.store, config=Config(recall=Recall(cross_encoder=name)))


def test_a_folder_without_a_model_is_told(made, tmp_path, capsys):
    config = tmp_path / "h3_config.yaml"
    config.write_text(f"recall:\n  cross_encoder: {tmp_path}\n", encoding="utf-8")
    assert main(["steel", "--store", str(made.store), "--config", str(config)]) == 1
    err = capsys.readouterr().err.strip().splitlines()
    assert "no cross-encoder that loads" in err[-1] and err[-1].startswith("h3-recall: ")
