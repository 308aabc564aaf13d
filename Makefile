# What can be done here. Every target does all of its own set-up; the scripts it calls are in
# ground/, one idea each.
#
# PG_CONFIG names the server to build for and to test on, 15 to 18; without it that is a pinned
# PostgreSQL 18 with pgvector, fetched into target/.

export PG_CONFIG
export DESTDIR
export BINDIR
export VALGRIND

.PHONY: help demo check check-assert docs pictures install install-client installcheck server stop url corpus fuzz bench quality lint clean

help: ## what can be done
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

demo: ## real documents in, passages out: three questions on a private server
	@ground/demo

check: ## every test, on a temporary server
	@ground/check

check-assert: ## the SQL tests on a PostgreSQL with assertions, VALGRIND=yes for valgrind too
	@ground/check-assert

install: ## build the extension and put it into the server of PG_CONFIG
	@ground/install

install-client: ## build the client and put it where cargo puts programs, or into BINDIR
	@ground/install-client

installcheck: install ## the SQL regress tests alone, by pg_regress
	@ground/regress

server: install ## start the private server and print its URL
	@ground/server start

stop: ## stop the private server
	@ground/server stop

corpus: ## thousands of real files of every kind, split and checked
	@ground/corpus-files

fuzz: ## fuzz the splitters, SECONDS=600 each
	@ground/fuzz $(or $(SECONDS),600)

bench: ## the ratios in docs/benchmarks.md
	@ground/bench

quality: ## how much of what is wanted search and fragments bring back
	@ground/quality

docs: ## build a searchable site of the documentation in target/docs
	@ground/docs

pictures: ## draw the pictures of the documentation again, from real data
	@ground/pictures

lint: ## format, clippy, and the licences and sources of dependencies
	@ground/lint

clean: ## stop the server and forget all that was fetched or made
	@ground/clean
