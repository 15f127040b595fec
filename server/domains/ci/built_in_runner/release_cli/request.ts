import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

import type { Call } from '../client.ts'

/** The working directory and the variables of the job. */
export interface JobEnvironment {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A request to send, and the message after its success. The message is empty for a request that prints the answer. */
export interface ReleaseRequest {
  readonly call: Call
  readonly successMessage: string
}

/** The maximum size in bytes of a file with a description. */
const MAX_FILE = 1024 * 1024
const COMMANDS = ['create', 'update', 'get'] as const
const FLAGS = new Set(
  (
    'name description tag-name tag-message ref released-at milestone assets-link ' +
    'project-id job-token private-token timeout server-url'
  ).split(' '),
)

/** Returns the request for a command line. Throws with a message for an invalid one. */
export function requestOf(args: readonly string[], { folder, env }: JobEnvironment): ReleaseRequest {
  const { command, flags } = parseArgs(args)
  const name = COMMANDS.find((name) => name === command)
  if (name === undefined) throw new Error(`no such command: ${command ?? ''}; one of ${COMMANDS.join(', ')}`)
  const unknown = [...flags.keys()].find((name) => !FLAGS.has(name))
  if (unknown !== undefined) throw new Error(`flag provided but not defined: --${unknown}`)
  const last = (name: string): string | undefined => flags.get(name)?.at(-1)
  const tag = last('tag-name')
  if (!tag) throw new Error('required flag "tag-name" not set')
  const project = last('project-id') ?? env['CI_PROJECT_ID']
  if (!project) throw new Error('required flag "project-id" not set')
  const listPath = `/projects/${encodeURIComponent(project)}/releases`
  const path = `${listPath}/${encodeURIComponent(tag)}`
  const headers = tokenOf(last, env)
  if (name === 'get') return { call: { method: 'GET', path, headers }, successMessage: '' }
  const fields = withoutEmpty({
    name: last('name'),
    description: textOf(last('description'), folder),
    released_at: last('released-at'),
    milestones: flags.get('milestone')?.filter((title) => title !== ''),
  })
  if (name === 'update')
    return { call: { method: 'PUT', path, headers, body: fields }, successMessage: 'Release updated' }
  const body = {
    ...withoutEmpty({
      tag_name: tag,
      tag_message: last('tag-message'),
      ref: last('ref') || env['CI_COMMIT_SHA'],
    }),
    ...fields,
    ...linksOf(flags.get('assets-link') ?? []),
  }
  return { call: { method: 'POST', path: listPath, headers, body }, successMessage: 'Release created' }
}

/** The values without those that are undefined or empty. */
function withoutEmpty(
  values: Record<string, string | readonly string[] | undefined>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
}

function tokenOf(
  last: (name: string) => string | undefined,
  env: JobEnvironment['env'],
): Record<string, string> {
  const privateToken = last('private-token')
  if (privateToken) return { 'private-token': privateToken }
  const token = last('job-token') ?? env['CI_JOB_TOKEN']
  if (!token) throw new Error('required flag "job-token" not set')
  return { 'job-token': token }
}

/** The text, or the content of the file with that name in the folder of the job. */
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

/** Asset links as JSON: one object or a list. */
function linksOf(texts: readonly string[]): { assets?: { links: unknown[] } } {
  const links = texts.filter((text) => text !== '').flatMap((text): unknown[] => [JSON.parse(text)].flat())
  return links.length === 0 ? {} : { assets: { links } }
}

/** A parsed command line: the command, and the values of each flag in order. */
export interface CommandLine {
  readonly command: string | undefined
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/**
 * Parses `create --name "x" --milestone=a --milestone b`. The argument after a flag is its value, even if it starts
 * with a hyphen like a Markdown list. Throws for a flag without a value and for other arguments.
 */
export function parseArgs(args: readonly string[]): CommandLine {
  const flags = new Map<string, string[]>()
  let command: string | undefined
  for (let index = 0; index < args.length; index++) {
    const [, name, inline] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(args[index]!) ?? []
    if (name === undefined) {
      if (command !== undefined) throw new Error(`unexpected argument: ${args[index]}`)
      command = args[index]
      continue
    }
    const value = inline ?? args[++index]
    if (value === undefined) throw new Error(`flag needs an argument: --${name}`)
    flags.set(name, [...(flags.get(name) ?? []), value])
  }
  return { command, flags }
}
