"""The options of measure.py, which it passes on."""

import argparse
import pathlib


def parse(arguments):
    parser = argparse.ArgumentParser(prog="peers")
    parser.add_argument("--data", type=pathlib.Path, help="folder of other sets of questions")
    parser.add_argument("--set", action="append", help="only the set of this name")
    parser.add_argument("--method", action="append", help="only the method of this name, beside those of pg_passage")
    parser.add_argument("--questions", type=int, help="maximum number of questions of a set")
    parser.add_argument("--cache", default=":memory:", help="file that keeps embeddings for the next run")
    return parser.parse_args(arguments)
