import type { Params } from '../../api/client.ts'
import * as program from './program.ts'

export type Person = 'ines' | 'tomas'
export type Commit = {
  message: string
  by: Person
  actions: Params<'POST /projects/:id/repository/commits'>['actions']
}

const create = (file_path: string, content: string) => ({ action: 'create' as const, file_path, content })
const update = (file_path: string, content: string) => ({ action: 'update' as const, file_path, content })

/** Who works on the demo; accounts of the project that go with it. */
export const PEOPLE: Record<Person, { name: string; email: string }> = {
  ines: { name: 'Ines Halloran', email: 'ines@tidewatch.example' },
  tomas: { name: 'Tomas Reuter', email: 'tomas@tidewatch.example' },
}

/** The history of the main branch, first to last. */
export const HISTORY: Commit[] = [
  {
    message: 'Begin with a tide table and what this is',
    by: 'ines',
    actions: [create('README.md', program.README), create('data/saltmarsh.csv', program.TABLE)],
  },
  {
    message: 'Say when the next high water is',
    by: 'tomas',
    actions: [{ ...create('bin/tidewatch', program.PROGRAM), execute_filemode: true }],
  },
  {
    message: 'Tests for the first, the next and no water at all',
    by: 'tomas',
    actions: [{ ...create('test/run.sh', program.TESTS), execute_filemode: true }],
  },
  {
    message: 'A board for the harbour office\n\nIt reads the same table, and is read from across the room.',
    by: 'ines',
    actions: [
      create('site/index.html', program.BOARD_PAGE),
      create('site/board.css', program.BOARD_STYLE),
      create('site/board.js', program.BOARD_SCRIPT),
    ],
  },
  {
    message: 'Tell low waters, too',
    by: 'ines',
    actions: [update('bin/tidewatch', program.PROGRAM_WITH_LOW)],
  },
  {
    message: 'Pipeline: check, test, package, show',
    by: 'tomas',
    actions: [create(program.PIPELINE_FILE, program.PIPELINE)],
  },
]

export const MERGED = {
  branch: 'warn-below-chart-datum',
  title: 'Warn when the water falls below chart datum',
  description: 'The inner harbour has a sill; boats with some draught want to know.\n\nCloses #2',
  commit: {
    message: 'Warn when the water falls below chart datum',
    by: 'tomas',
    actions: [update('bin/tidewatch', program.WARNING)],
  } satisfies Commit,
}

export const OPEN = {
  branch: 'times-with-a-zone',
  title: 'Look at the clock of the harbour, not of the machine',
  description: `The board in the office runs on a machine that keeps UTC, so in summer it is two hours late.

- [x] the program knows a zone
- [ ] say so in the README

Closes #1`,
  commit: {
    message: 'Look at the clock of the harbour',
    by: 'ines',
    actions: [update('bin/tidewatch', program.WITH_ZONE)],
  } satisfies Commit,
  said: [
    {
      by: 'tomas',
      body: `Could it follow the machine where nobody says anything? Not every harbour is in Sweden.

\`\`\`suggestion:-0+0
${program.BETTER_ZONE_LINE}
\`\`\``,
    },
    { by: 'ines', body: 'Fair enough :sailboat: I would take that. What does the harbour office say?' },
  ] satisfies { by: Person; body: string }[],
}
