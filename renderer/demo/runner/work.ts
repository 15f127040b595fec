import { PROGRAM_WITH_LOW, README, REPORT, TABLE } from '../content/program.ts'
import { gzipOf, zipOf } from './zip.ts'

/** Output and artifacts of a demo job. */
export type Work = {
  lines: string[]
  leaves: { type: string; format: string; name: string; file: Blob }[]
}

const GREEN = '\u001B[32;1m'
const CYAN = '\u001B[36;1m'
const OFF = '\u001B[0;m'
const said = (command: string) => `${GREEN}$ ${command}${OFF}`

const COMMANDS: Record<string, string[]> = {
  syntax: [said('sh -n bin/tidewatch'), said('sh -n test/run.sh')],
  tests: [
    said('sh test/run.sh'),
    'ok   the first of the day',
    'ok   the one after noon',
    'ok   none is left',
  ],
  package: [said('mkdir -p dist'), said('cp -r bin data README.md dist/')],
  board: [said('echo "The board shows the tides of today."'), 'The board shows the tides of today.'],
}

/** Does the work of a job, by its name: what a shell would say, without one. */
export const workOn = async (name: string, ref: string, sha: string): Promise<Work> => ({
  lines: [
    `${CYAN}Running in this window, for the demo${OFF}`,
    `${CYAN}Checking out ${sha.slice(0, 8)} as ${ref}...${OFF}`,
    ...(COMMANDS[name] ?? [said('true')]),
    ...(name === 'tests' || name === 'package' ? [`${CYAN}Uploading artifacts...${OFF}`] : []),
    `${GREEN}Job succeeded${OFF}`,
  ],
  leaves: await leavesOf(name),
})

const leavesOf = async (name: string): Promise<Work['leaves']> => {
  if (name === 'tests')
    return [{ type: 'junit', format: 'gzip', name: 'junit.xml.gz', file: await gzipOf(REPORT) }]
  if (name !== 'package') return []
  const files = {
    'dist/README.md': README,
    'dist/bin/tidewatch': PROGRAM_WITH_LOW,
    'dist/data/saltmarsh.csv': TABLE,
  }
  return [{ type: 'archive', format: 'zip', name: 'tidewatch.zip', file: zipOf(files) }]
}
