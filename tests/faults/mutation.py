# SPDX-License-Identifier: Apache-2.0
"""Damage at random: of bytes, of texts and of databases."""
import sqlite3

NUMBERS = [b'0', b'-1', b'1e999', b'-1e999', b'NaN', b'Infinity', b'99999999999999999999999999',
           b'18446744073709551616', b'4294967296', b'2147483648', b'-9223372036854775809', b'1e-999',
           b'null', b'true', b'""', b'[]', b'{}', b'"\\ud800"']
TEXTS = ['', '\x00', 'x' * 100000, '../' * 20 + 'etc/passwd', '/etc/passwd', "'; DROP TABLE kernel; --",
         '\x1b]0;owned\x07', '=cmd()', '\udcff'.encode('utf-8', 'surrogatepass').decode('latin1'),
         '-1', '1e999', '[' * 50000]
BIG = [0, 1, -1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, -2**63]
ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'


def damaged(random, content):
    """One to four changes of bytes."""
    content = bytearray(content)
    for _ in range(random.randint(1, 4)):
        if not content:
            return bytes(random.randbytes(random.randint(0, 100)))
        at = random.randrange(len(content))
        kind = random.randrange(7)
        if kind == 0:
            for _ in range(random.randint(1, 16)):
                content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        elif kind == 1:
            del content[at:]
        elif kind == 2:
            content[at:at + random.randint(0, 300)] = random.randbytes(random.randint(0, 300))
        elif kind == 3:
            start = random.randrange(len(content))
            content[at:at] = content[start:start + random.randint(0, 2000)]
        elif kind == 4:
            content[at:at + random.randint(0, 4)] = random.choice(NUMBERS)
        elif kind == 5:
            content[at:at] = random.choice([b'[', b'{"a":', b'(', b'"', b'\x00', b'\n']) * \
                random.choice([1, 3, 100, 20000])
        else:
            size = random.choice([1, 2, 4, 8])
            content[at:at + size] = random.choice([b'\x00', b'\xff', b'\x7f', b'\x80']) * size
    return bytes(content)


def damagedText(random, content):
    """Changes of words and numbers in a text, which a parser gets further with."""
    import re
    parts = re.split(rb'([A-Za-z_]+|-?[0-9.]+(?:e[+-]?[0-9]+)?|"[^"]*")', content)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(parts))
        parts[at] = random.choice([random.choice(NUMBERS), random.choice(parts), b'',
                                   random.choice(TEXTS).encode('utf-8', 'replace')])
    return b''.join(parts)


def damagedDatabase(random, file):
    """Changes of what is in a SQLite file, by SQLite itself: it stays a sound database."""
    database = sqlite3.connect(file, isolation_level=None)
    try:
        tables = [name for name, in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        for _ in range(random.randint(1, 3)):
            table = random.choice(tables)
            columns = [one[1] for one in database.execute(f'PRAGMA table_info("{table}")')]
            column = random.choice(columns)
            kind = random.randrange(8)
            some = f'rowid IN (SELECT rowid FROM "{table}" ORDER BY random() LIMIT 2)'
            text = random.choice(TEXTS)
            steps = {
                0: (f'UPDATE "{table}" SET "{column}" = ?', (random.choice(BIG),)),
                1: (f'UPDATE "{table}" SET "{column}" = ? WHERE {some}', (text,)),
                2: (f'UPDATE "{table}" SET "{column}" = ?', (random.randbytes(random.choice([0, 1, 9, 300])),)),
                3: (f'DELETE FROM "{table}" WHERE {some}', ()),
                4: (f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other{random.randrange(9)}', ()),
                5: (f'CREATE TRIGGER t{random.randrange(99)} AFTER INSERT ON "{table}" BEGIN '
                    f'SELECT ({ENDLESS.replace("SELECT i FROM n", "SELECT sum(i) FROM n")}); END', ()),
                6: (f'UPDATE "{table}" SET "{column}" = CAST(substr("{column}", 1, '
                    f'length("{column}") / 2) AS BLOB)', ()),
                7: (f'DROP TABLE "{table}"', ()),
            }
            try:
                database.execute(*steps[kind])
                if kind == 7:
                    tables.remove(table)
                    names = ', '.join(f'i AS "{one}"' for one in columns)
                    if random.random() < 0.7:
                        database.execute(f'CREATE VIEW "{table}" AS SELECT {names} FROM ({ENDLESS})')
                    if not tables:
                        break
            except sqlite3.Error:
                pass  # what a constraint forbids is not tried
    finally:
        database.close()
