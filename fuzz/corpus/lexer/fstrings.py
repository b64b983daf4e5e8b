f'{a}{b!r:>{width}}{c = }{{}}'
f"{x:%Y-%m-%d}" 'plain' f"{ {1: 2}[1] }"
f'''{
    a  # comment
    + b
}'''
f"{f"{f"{1}"}"}"
f"{'a' if b else 'c'!s:{'x'}}"
rf"\d{x}\{y}"
f"{lambda x: 1}" f"{(lambda x: 1)}"
f"{x:{y:{z}}}"
f"{*a, *b}" f"{yield_}" f"{x!r}" f"{x=!r:^20}"
