import { appendFileSync } from 'node:fs'

/**
 * Prints sentences about failures. `.ci/run` starts several commands and prints all failures again at its end: it names a
 * file in `DESKFORGE_FAILURES`, and the sentences are appended there too.
 */
export function reportFailures(lines) {
  for (const line of lines) console.log(line)
  const file = process.env.DESKFORGE_FAILURES
  if (file && lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`)
}
