"""Small dumps of questions, as `study select` reads them."""

import html


def question(number, title="how to train slow model", body="<p>it is slow</p>", tags="<tensorflow><keras>", score="3",
             created="2019-05-06T07:08:09.123", more=""):
    score = "" if score is None else f' Score="{score}"'
    return (f'  <row Id="{number}" PostTypeId="1" CreationDate="{created}"{score} ViewCount="10" '
            f'Body="{html.escape(body)}" Title="{html.escape(title)}" Tags="{html.escape(tags)}" AnswerCount="1"{more} />\n')


def answer(number, parent):
    return (f'  <row Id="{number}" PostTypeId="2" ParentId="{parent}" CreationDate="2019-05-06T08:08:09.123" Score="1" '
            f'Body="&lt;p&gt;so&lt;/p&gt;" />\n')


def dump(rows):
    return '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "".join(rows) + "</posts>\n"


def many(count):
    rows = []
    for i in range(1, count + 1):
        rows.append(question(2 * i, title=f"how to train model {i}", more=f' AcceptedAnswerId="{2 * i + 1}"'))
        rows.append(answer(2 * i + 1, 2 * i))
    return dump(rows)


RECIPE = 'name = "all"\n[[step]]\nname = "tagged"\ntags = ["tensorflow", "keras"]\n'
