/** The program of the demo: it prints the time of high tide. It needs only a shell. */
export const README = `# Tidewatch

Says when the next high water is, from a table of the harbour office.

\`\`\`sh
bin/tidewatch data/saltmarsh.csv 11:30
# next high water at 14:52 (4.1 m)
\`\`\`

| File | What it is |
|---|---|
| \`bin/tidewatch\` | the program: a shell script and a little awk |
| \`data/\` | tide tables, one line for each water |
| \`site/\` | the board that hangs in the harbour office |
| \`test/run.sh\` | the tests |

## Try it

1. Open the merge request that waits for you, read the thread, and apply the suggestion.
2. Approve and merge it. A pipeline starts by itself.
3. Look at the release, and at the evidence that was collected for it.

Remove this project in *Settings, General* when you have seen enough.
`

export const PROGRAM = `#!/bin/sh
# tidewatch <table> <hh:mm>: the next high water after a time of day.
set -eu

table=\${1:?a tide table, please}
after=\${2:-$(date +%H:%M)}

awk -F, -v after="$after" '
  NR > 1 && $2 == "high" && $1 > after {
    printf "next high water at %s (%.1f m)\\n", $1, $3
    found = 1
    exit
  }
  END { if (!found) print "no more high water today" }
' "$table"
`

/** The same program, which also finds low water. */
export const PROGRAM_WITH_LOW = PROGRAM.replace(
  '# tidewatch <table> <hh:mm>: the next high water after a time of day.',
  '# tidewatch <table> <hh:mm> [high|low]: the next high or low water after a time of day.',
)
  .replace('set -eu\n', 'set -eu\n\nkind=${3:-high}\n')
  .replace('-v after="$after"', '-v after="$after" -v kind="$kind"')
  .replace('$2 == "high"', '$2 == kind')
  .replace('"next high water at %s (%.1f m)\\n", $1, $3', '"next %s water at %s (%.1f m)\\n", kind, $1, $3')
  .replace('print "no more high water today"', 'print "no more " kind " water today"')

export const TABLE = `time,kind,metres
02:31,high,4.3
08:40,low,0.6
14:52,high,4.1
21:03,low,0.8
`

export const TESTS = `#!/bin/sh
# Runs the tests and writes report.xml.
set -eu
cd "$(dirname "$0")/.."

failed=0
cases=''
check() {
  name=$1 expected=$2 found=$3
  if [ "$found" = "$expected" ]; then
    echo "ok   $name"
    cases="$cases<testcase classname=\\"tidewatch\\" name=\\"$name\\"/>"
  else
    echo "FAIL $name: expected '$expected', found '$found'"
    cases="$cases<testcase classname=\\"tidewatch\\" name=\\"$name\\"><failure>$found</failure></testcase>"
    failed=1
  fi
}

check 'the first of the day' 'next high water at 02:31 (4.3 m)' "$(sh bin/tidewatch data/saltmarsh.csv 00:00)"
check 'the one after noon' 'next high water at 14:52 (4.1 m)' "$(sh bin/tidewatch data/saltmarsh.csv 12:00)"
check 'none is left' 'no more high water today' "$(sh bin/tidewatch data/saltmarsh.csv 23:00)"

echo "<testsuite name=\\"tidewatch\\">$cases</testsuite>" > report.xml
exit $failed
`

export const REPORT =
  '<testsuite name="tidewatch">' +
  ['the first of the day', 'the one after noon', 'none is left']
    .map((name, index) => `<testcase classname="tidewatch" name="${name}" time="0.0${index + 2}"/>`)
    .join('') +
  '</testsuite>\n'

export const PIPELINE_FILE = '.gitlab-ci.yml'
export const PIPELINE = `stages: [check, test, package, show]

syntax:
  stage: check
  script:
    - sh -n bin/tidewatch
    - sh -n test/run.sh

tests:
  stage: test
  script:
    - sh test/run.sh
  artifacts:
    when: always
    reports:
      junit: report.xml

package:
  stage: package
  script:
    - mkdir -p dist
    - cp -r bin data README.md dist/
  artifacts:
    name: tidewatch
    paths: [dist/]

board:
  stage: show
  script:
    - echo "The board shows the tides of today."
  environment:
    name: harbour-office
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`

export const BOARD_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Tides at Saltmarsh</title>
    <link rel="stylesheet" href="board.css" />
  </head>
  <body>
    <h1>Next high water</h1>
    <output id="time">--:--</output>
    <script src="board.js"></script>
  </body>
</html>
`

export const BOARD_STYLE = `body {
  display: grid;
  place-content: center;
  min-height: 100vh;
  background: #10243a;
  color: #f2ead8;
  font: 500 2rem/1.4 system-ui;
}
output {
  font-size: 9rem;
  font-variant-numeric: tabular-nums;
}
`

export const BOARD_SCRIPT = `const pad = (number) => String(number).padStart(2, '0')

/** The first high water after a time of day, or undefined. */
export const nextHigh = (rows, after) => rows.find(({ time, kind }) => kind === 'high' && time > after)

const show = async () => {
  const text = await (await window.fetch('../data/saltmarsh.csv')).text()
  const rows = text.trim().split('\\n').slice(1).map((line) => {
    const [time, kind, metres] = line.split(',')
    return { time, kind, metres: Number(metres) }
  })
  const now = new Date()
  const next = nextHigh(rows, pad(now.getHours()) + ':' + pad(now.getMinutes()))
  document.querySelector('#time').textContent = next?.time ?? '--:--'
}

setInterval(show, 60_000)
show()
`

/** What warns of low water. */
export const WARNING = PROGRAM_WITH_LOW.replace(
  '    found = 1\n',
  '    if ($3 < 0) print "below chart datum: mind the sill"\n    found = 1\n',
)

/** What the open merge request adds. */
export const WITH_ZONE = WARNING.replace(
  'after=${2:-$(date +%H:%M)}',
  `zone=\${TIDE_ZONE:-Europe/Stockholm}
after=\${2:-$(TZ=$zone date +%H:%M)}`,
)
/** The line under discussion, and the suggested change. */
export const ZONE_LINE = 'zone=${TIDE_ZONE:-Europe/Stockholm}'
export const BETTER_ZONE_LINE = 'zone=${TIDE_ZONE:-${TZ:-UTC}}'
