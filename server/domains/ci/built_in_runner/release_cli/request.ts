import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

import type { Call } from '../client.ts'

/** Where the program runs: its folder and the variables of the job. */
export interface Surroundings {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A request to make, and what is said when it has succeeded. */
export interface ReleaseRequest {
  readonly call: Call
  readonly done: string
}

/** A description that is longer is none that a person reads. */
const MAX_FILE = 1024 * 1024
const COMMANDS = ['create', 'update', 'get'] as const
const FLAGS = new Set(
  (
    'name description tag-name tag-message ref released-at milestone assets-link ' +
    'project-id job-token private-token timeout server-url'
  ).split(' '),
)

/** The request that a command line asks for. Throws with a sentence for what cannot be done. */
export function requestOf(args: readonly string[], { folder, env }: Surroundings): ReleaseRequest {
  const { command, flags } = readArgs(args)
  const known = COMMANDS.find((name) => name === command)
  if (known === undefined) throw new Error(`no such command: ${command ?? ''}; one of ${COMMANDS.join(', ')}`)
  const foreign = [...flags.keys()].find((name) => !FLAGS.has(name))
  if (foreign !== undefined) throw new Error(`flag provided but not defined: --${foreign}`)
  const last = (name: string): string | undefined => flags.get(name)?.at(-1)
  const tag = last('tag-name')
  if (!tag) throw new Error('required flag "tag-name" not set')
  const project = last('project-id') ?? env['CI_PROJECT_ID']
  if (!project) throw new Error('required flag "project-id" not set')
  const all = `/projects/${encodeURIComponent(project)}/releases`
  const one = `${all}/${encodeURIComponent(tag)}`
  const headers = tokenOf(last, env)
  if (known === 'get') return { call: { method: 'GET', path: one, headers }, done: '' }
  const fields = given({
    name: last('name'),
    description: textOf(last('description'), folder),
    released_at: last('released-at'),
    milestones: flags.get('milestone')?.filter((title) => title !== ''),
  })
  if (known === 'update')
    return { call: { method: 'PUT', path: one, headers, body: fields }, done: 'Release updated' }
  const body = {
    ...given({ tag_name: tag, tag_message: last('tag-message'), ref: last('ref') || env['CI_COMMIT_SHA'] }),
    ...fields,
    ...linksOf(flags.get('assets-link') ?? []),
  }
  return { call: { method: 'POST', path: all, headers, body }, done: 'Release created' }
}

/** What was said; empty texts say nothing. */
function given(values: Record<string, string | readonly string[] | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
}

function tokenOf(
  last: (name: string) => string | undefined,
  env: Surroundings['env'],
): Record<string, string> {
  const own = last('private-token')
  if (own) return { 'private-token': own }
  const token = last('job-token') ?? env['CI_JOB_TOKEN']
  if (!token) throw new Error('required flag "job-token" not set')
  return { 'job-token': token }
}

/** The text itself, or what stands in the file of that name in the folder of the job. */
function textOf(text: string | undefined, folder: string): string | undefined {
  if (!text || /\s/.test(text.trim())) return text
  try {
    const file = realpathSync(resolve(folder, text.trim()))
    const isInside = file.startsWith(realpathSync(folder) + sep)
    if (!isInside || !statSync(file).isFile() || statSync(file).size > MAX_FILE) return text
    return readFileSync(file, 'utf8')
  } catch {
    return text
  }
}

/** Links as JSON, one at a time or several in a list. */
function linksOf(texts: readonly string[]): { assets?: { links: unknown[] } } {
  const links = texts.filter((text) => text !== '').flatMap((text): unknown[] => [JSON.parse(text)].flat())
  return links.length === 0 ? {} : { assets: { links } }
}

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
