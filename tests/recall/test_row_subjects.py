"""Answers about whom or what a question names: the rows of a name, no rows of others, and nothing that is not told."""

import pytest
from test_table_answers import grid, told

from h3cold.recall.missing import asked_names
from h3cold.recall.structure import answer_in
from h3cold.recall.understand import understand

PAY = [["Name", "Year", "Maximum Value of Units"], ["Oleg Kay", "2019", "4,067"], ["", "2018", "2,457"]]
PAY += [["Paul Nab", "2019", "591"], ["", "2018", "442"]]
GRANTS = [["Name", "Approved", "Type", "Target", "Maximum"], ["Oleg Kay", "8/23/18", "Units", "206", "309"]]
GRANTS += [["", "N/A", "Cash", "960", "1,344"], ["Paul Nab", "8/22/18", "Units", "30", "45"]]
GRANTS += [["", "N/A", "Cash", "369", "517"]]
LAYOFFS = [["Notice", "Company", "City", "No. Of"], ["06/30/2015", "Zenith, Inc.", "Long Beach", "90"]]
LAYOFFS += [["01/12/2016", "Molina Clinics, Inc.", "Long Beach", "385"], ["01/14/2016", "Zenith, Inc.", "Vista", "52"]]
LAYOFFS += [["01/18/2016", "Hyatt Regency Plaza", "Vista", "796"]]
JUDGES = [["Name", "Chosen by", "Age when chosen", "Followed"], ["Samuel Alit", "George Bus", "55", "Sandra Day"]]
JUDGES += [["Sonia Soto", "Barack Bam", "54", "David Sou"]]


def silent(rows, text, about=""):
    return answer_in(grid(rows), understand(text), about) is None


def test_a_name_holds_for_the_rows_below_that_leave_its_cell_blank():
    assert told(PAY, "maximum value of units of Paul Nab in 2018")[:2] == (
        "Paul Nab",
        {"Maximum Value of Units": "442"},
    )
    assert told(GRANTS, "maximum cash of Paul Nab")[:2] == ("Paul Nab > Cash", {"Maximum": "517"})
    assert told(GRANTS, "target cash of Oleg Kay")[:2] == ("Oleg Kay > Cash", {"Target": "960"})


def test_a_row_is_about_the_name_that_stands_first_and_not_about_one_beside_it():
    found = told(LAYOFFS, "How many employees does Molina lay off in Long Beach?")
    assert found[:2] == ("Molina Clinics, Inc. > Long Beach", {"No. Of": "385"})
    assert told(LAYOFFS, "How many people did Zenith lay off in Vista?")[1] == {"No. Of": "52"}
    assert told(LAYOFFS, "employees affected at Hyatt Regency Plaza")[1]["No. Of"] == "796"
    assert silent(JUDGES, "How old was Sandra Day when chosen?")
    assert silent(JUDGES, "Who promoted David Sou?") and silent(JUDGES, "Who is David Sou chosen by?")
    assert told(JUDGES, "How old was Samuel Alit when chosen?")[:2] == ("Samuel Alit", {"Age when chosen": "55"})


@pytest.mark.parametrize(
    "text", ["maximum value of units of Gary Sta in 2018", "maximum value of units in Germany 2018"]
)
def test_a_table_that_does_not_say_a_name_answers_nothing_about_it(text):
    assert silent(PAY, text)
    units = [["", "2019", "2018"], ["Value of units", "206", "309"]]
    assert silent(units, text)
    assert not silent(units, text, "Gary Sta in Germany")  # all of it is


def test_names_amid_words_in_small_letters_are_names():
    assert [name.written for name in asked_names("employees affected at Hyatt Regency Inn Plaza")]
    assert asked_names("Net Income Of Acme Widgets") == []


def test_an_answer_that_only_repeats_the_question_is_none():
    codes = [["Code", "Description"], ["E17", "Opens the outer door"], ["E18", "Shows the whole map"]]
    assert told(codes, "Which code opens the outer door?")[0] == "E17"
    assert silent(codes, "opens the outer door")


def test_a_balance_is_not_told_by_its_change():
    flows = [
        ["", "2019", "2018"],
        ["(Increase) decrease in operating assets:", "", ""],
        ["Inventories", "(523)", "132"],
    ]
    flows += [["Increase (decrease) in operating liabilities:", "", ""], ["Accounts payable", "710", "(2,278)"]]
    flows += [["Net cash provided by operating activities", "3,811", "2,417"]]
    assert silent(flows, "How much was inventory at the end of 2019?")
    assert told(flows, "change in inventories 2019")[0] == "Inventories"
    flows.insert(1, ["Cash flows from operating activities:", "", ""])
    flows.insert(2, ["Net income (loss)", "453", "(3,086)"])
    assert told(flows, "net cash provided by operating activities 2019")[1] == {"2019": "3,811"}


def test_what_is_told_of_a_time_is_of_that_time():
    bought = [["Period", "Shares"], ["8/1/2019 to 8/31/2019", "37"], ["9/1/2019 to 9/30/2019", "17"]]
    bought += [["Fiscal Year 2019", "211"]]
    assert told(bought, "How many shares were bought between 8/1/2019 and 8/31/2019?")[1] == {"Shares": "37"}
    by_kind = [["Kind", "Shares"], ["Open market", "37"], ["Total", "211"]]
    assert silent(by_kind, "total shares in December 2015")
    assert not silent(by_kind, "total shares in December 2015", "Shares bought in Dec. 2015")
    ends = [["项目", "期末余额"], ["存货", "37"]]
    assert not silent(ends, "2018年3月末存货")
    leases = [["Year", "Operating Leases"], ["2022", "197"], ["2023", "71"]]
    assert silent(leases, "What was net income in 2023?", "Future maturities of lease liabilities")
    assert told(leases, "operating leases in 2023")[1] == {"Operating Leases": "71"}


def test_a_letter_that_numbers_a_row_is_not_its_label():
    owners = [["", "Total for all 65+", "18%"], ["a", "Male (n=612)", "20"], ["b", "Female (n=914)", "17"]]
    assert (
        told(owners, "tablets of men aged 65 and over", header=0, about="Adults of 65 with tablets")[0]
        == "Male (n=612)"
    )
