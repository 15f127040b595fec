/** A text that the shell takes as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Stops at the first command that fails; bash also at one in the middle of a pipe. */
function strict(shell: string): string {
  return shell.endsWith('bash') ? 'set -eo pipefail\nset +o noclobber' : 'set -e'
}

/** A command as the log shows it before it runs: of several lines the first one. */
function echo(command: string): string {
  const [first, ...more] = command.trim().split('\n')
  const note = more.length > 0 ? ' # collapsed multi-line command' : ''
  return `printf '%s\\n' ${quoted(`\x1b[32;1m$ ${first}${note}\x1b[0;m`)}`
}

/** The commands of a step as one script, each shown before it runs; with `isTraced` the shell itself shows what it does. */
export function scriptOf(shell: string, commands: readonly string[], isTraced = false): string {
  const lines = commands.flatMap((command) => [echo(command), command])
  return `${[strict(shell), ...(isTraced ? ['set -x'] : []), ...lines].join('\n')}\n`
}

/** Commands of the runner itself, which are not shown. */
export function quietScriptOf(shell: string, commands: readonly string[]): string {
  return `${[strict(shell), ...commands].join('\n')}\n`
}
