/** What git asks a server to run. */
export type GitCommand = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

/** A command that git sent, taken apart. */
export interface Asked {
  readonly command: GitCommand
  /** Full path of the project, without slashes around it and without `.git`. */
  readonly path: string
}

const MAX_LENGTH = 4096
const FORM = /^git[- ](upload-pack|receive-pack|upload-archive) +(.+)$/s

/**
 * Takes apart what a client wants to be run: one of git's three commands and one path, quoted as git does. Undefined for
 * everything else; nothing of it ever reaches a shell.
 */
export function parseCommand(text: string): Asked | undefined {
  if (text.length > MAX_LENGTH || text.includes('\0')) return undefined
  const [, name, rest = ''] = FORM.exec(text) ?? []
  if (name === undefined) return undefined
  const path = unquoted(rest.trimEnd())
    ?.replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return path ? { command: `git-${name}` as GitCommand, path } : undefined
}

/** One word as `sh` would read it, where `'` is the only quote; undefined for more than one word or an open quote. */
function unquoted(text: string): string | undefined {
  if (!text.startsWith("'")) return /^[^\s'"\\$`;&|<>()]+$/.test(text) ? text : undefined
  let word = ''
  let rest = text
  // Git writes a quote or an exclamation mark inside as '\'' and '\!'.
  for (let part = PART.exec(rest); part !== null; part = PART.exec(rest)) {
    word += part[1] ?? part[2]!
    rest = rest.slice(part[0].length)
  }
  return rest === '' ? word : undefined
}

const PART = /^(?:'([^']*)'|\\(['!]))/
