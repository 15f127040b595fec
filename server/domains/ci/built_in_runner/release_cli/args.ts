/** What a command line says: the command, and the values of each flag in their order. */
export interface CommandLine {
  readonly command: string | undefined
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads `create --name "x" --milestone=a --milestone b`. Whatever follows a flag is its value, also what begins with a
 * hyphen, as the first line of a Markdown list does. Throws for a flag without a value and for what is none.
 */
export function readArgs(args: readonly string[]): CommandLine {
  const flags = new Map<string, string[]>()
  let command: string | undefined
  for (let at = 0; at < args.length; at++) {
    const [, name, inline] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(args[at]!) ?? []
    if (name === undefined) {
      if (command !== undefined) throw new Error(`unexpected argument: ${args[at]}`)
      command = args[at]
      continue
    }
    const value = inline ?? args[++at]
    if (value === undefined) throw new Error(`flag needs an argument: --${name}`)
    flags.set(name, [...(flags.get(name) ?? []), value])
  }
  return { command, flags }
}
