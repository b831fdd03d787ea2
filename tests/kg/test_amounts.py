import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.kg.amounts import amount


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("RMB 3.5 million", 3.5e6, "CNY"), ("300万元", 3e6, "CNY"),
        ("人民币1.2亿元", 1.2e8, "CNY"), ("US$1,234", 1234, "USD"),
        ("$ 1,234 (in thousands)", 1_234_000, "USD"), ("£17.6 million", 17.6e6, "GBP"), ("900万欧元", 9e6, "EUR"),
        ("HK$2bn", 2e9, "HKD"), ("12.5%", 12.5, "%"),
        ("百分之五点六", 5.6, "%"), ("50 basis points", 0.5, "%"), ("30 percent", 30, "%"),
        ("人民币壹仟贰佰万元整", 1.2e7, "CNY"), ("(1,200)", -1200, ""),
        ("１２．５％", 12.5, "%"), ("3,000万美元", 3e7, "USD"),
        ("5,000 (万元)", 5e7, "CNY"), ("1,100 (百万元)", 1.1e9, "CNY"), ("$(4.2) million", -4.2e6, "USD"),
    ],
)  # fmt: skip
def test_amounts_that_are_equal_compare_equal(text, number, unit):
    found = amount(text)
    assert found is not None and found.unit == unit and found.number == pytest.approx(number)


def test_what_is_no_value_is_none():
    assert amount("no number") is None and amount("") is None


@given(st.text(max_size=60))
def test_any_text_is_survived(text):
    found = amount(text)
    assert found is None or found.number == found.number


@given(st.floats(0.01, 9999, allow_nan=False).map(lambda x: round(x, 2)))
def test_scales_agree_over_languages(number):
    chinese, english = amount(f"{number * 100:.2f}万元"), amount(f"RMB {number:.4f} million")
    assert chinese.number == pytest.approx(english.number, rel=1e-3) and chinese.unit == english.unit


@pytest.mark.parametrize(
    ("text", "number"), [("人民币2.594亿元", 259400000), ("$1.1 million", 1100000), ("4,000万元", 4e7)]
)
def test_a_scaled_number_is_exact(text, number):
    assert amount(text).number == number
