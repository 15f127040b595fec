import type { Person } from './history.ts'

export const LABELS = [
  { name: 'bug', color: '#c2453d', description: 'Something is wrong' },
  { name: 'idea', color: '#3b77c2', description: 'Something could be better' },
  { name: 'doing', color: '#b7791f', description: 'Someone is working on it' },
  { name: 'documentation', color: '#3f8f63', description: 'Words, not code' },
]
/** Labels that are columns of the board. */
export const COLUMNS = ['idea', 'doing']
export const BOARD = 'Work'
export const MILESTONE = { title: '1.1', description: 'What the harbour office asked for in spring.' }

export type Planned = {
  title: string
  by: Person | 'me'
  description: string
  labels: string[]
  mine?: boolean
  said: { by: Person | 'me'; body: string }[]
}

/** In the order of their numbers: texts name some of them. */
export const ISSUES: Planned[] = [
  {
    title: 'The board is two hours late in summer',
    by: 'tomas',
    description: `The machine in the office keeps UTC.

1. Open the board at noon in July
2. It says that the water of 11:40 is still to come`,
    labels: ['bug', 'doing'],
    said: [
      { by: 'ines', body: 'Seen it, too. I have a branch that looks at the clock of the harbour.' },
      { by: 'tomas', body: 'Great, I will have a look as soon as it is up. :eyes:' },
    ],
  },
  {
    title: 'Warn of very low water',
    by: 'ines',
    description: 'Below chart datum the sill of the inner harbour is dry.',
    labels: ['idea'],
    said: [{ by: 'tomas', body: 'On it.' }],
  },
  {
    title: 'Say in the README where the tables come from',
    by: 'ines',
    description: 'And how often they change. **Needs someone who knows the office.**',
    labels: ['documentation'],
    mine: true,
    said: [{ by: 'ines', body: 'Would you write two sentences about that?' }],
  },
  {
    title: 'Tides of tomorrow',
    by: 'me',
    description: 'After the last high water of a day the program could go on with the next day.',
    labels: ['idea'],
    said: [{ by: 'ines', body: 'Then tables need a date. Fine with me, but not in 1.1.' }],
  },
]

export const RELEASE = {
  tag_name: 'v1.0.0',
  name: '1.0, first high water',
  description: `The first one that hangs in the harbour office.

## What is in it

- the next high water from a table
- low waters, too
- a board that is read from across the room

\`\`\`sh
bin/tidewatch data/saltmarsh.csv 11:30
\`\`\``,
}

export const WIKI = {
  title: 'Home',
  content: `# Around Tidewatch

## Tables

Tables are files with three columns. Times are those of the harbour.

| Column | Meaning |
|---|---|
| \`time\` | hour and minute |
| \`kind\` | \`high\` or \`low\` |
| \`metres\` | height above chart datum |

## Words

**Chart datum** is the level from which depths on a chart are counted.
`,
}

export const SNIPPET = {
  title: 'Tides of a whole week',
  file_name: 'week.sh',
  content: `#!/bin/sh
# Prints every high water of seven tables.
for day in 1 2 3 4 5 6 7; do
  awk -F, -v day="$day" '$2 == "high" { print "day " day ": " $1 }' "data/day-$day.csv"
done
`,
}
