import { readFileSync, writeFileSync } from 'node:fs'

import type { Ctx } from '../../../ctx.ts'
import { Failure, StartupError } from '../../../lib/fail.ts'
import { userByUsername } from '../../users/index.ts'
import type { WorldOutcome } from '../worlds/entity.ts'
import { applyWorld } from '../worlds/service.ts'
import { ask, askText, type Target } from './request.ts'

const PATH = '/-/workbench/worlds'

/** A command about worlds. */
export interface WorldCommand extends Target {
  readonly action: string | undefined
  /** A file, or the name of a world that comes with the instance. */
  readonly file: string | undefined
  readonly say: (line: string) => void
}

interface Shipped {
  readonly name: string
  readonly title: string
  readonly description: string
}

/** Applies or checks a world on a running instance, writes the instance as one, or lists those that come with it. Throws StartupError. */
export async function worldCommand(command: WorldCommand): Promise<void> {
  const { action, file, say } = command
  if (action === undefined || action === 'list') {
    const worlds = (await ask(command, 'GET', `${PATH}/shipped`)) as Shipped[]
    for (const { name, description } of worlds) say(`${name.padEnd(18)} ${description}`)
    return
  }
  if (action === 'write') return writeCurrent(command)
  if (action !== 'apply' && action !== 'check')
    throw new StartupError(`There is no "world ${action}"; it is apply, check, write or list.`)
  if (file === undefined) throw new StartupError(`Which world? deskforge world ${action} FILE`)
  const body = /\.(?:ya?ml|json)$/.test(file) ? { content: textOf(file) } : { shipped: file }
  const outcome = await ask(command, 'POST', PATH, { ...body, dry_run: action === 'check' })
  for (const line of sentences(outcome as WorldOutcome)) say(line)
}

/** Writes the instance as a world into a file, or prints it. */
async function writeCurrent(command: WorldCommand): Promise<void> {
  const { file, say } = command
  const text = await askText(command, 'GET', `${PATH}/current`)
  if (file === undefined) return say(text.trimEnd())
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new StartupError(`The file ${file} cannot be written: ${(error as Error).message}.`)
  }
  say(`Wrote ${file}.`)
}

/** Applies the world of a file to an instance that starts. Throws StartupError. */
export async function applyAtStart(ctx: Ctx, file: string): Promise<void> {
  const text = textOf(file)
  const admin = userByUsername(ctx.db, 'root')
  if (!admin?.is_admin)
    throw new StartupError('A world needs the administrator root, who is made by the first run.')
  const { id, username, name, email, external } = admin
  const actor = {
    kind: 'user',
    id,
    username,
    name,
    email: email ?? '',
    is_admin: true,
    external,
    scopes: null,
    via: 'system',
  } as const
  try {
    await applyWorld({ ...ctx, actor }, text, false)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new StartupError(`The world ${file} cannot be applied: ${error.message}`)
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartupError(`The world ${file} cannot be read: ${(error as Error).message}.`)
  }
}

function sentences({ dry_run, counts, milliseconds }: WorldOutcome): string[] {
  if (dry_run) return ['The world has no mistake.']
  const made = counts.filter((one) => one.made > 0)
  if (made.length === 0) return ['Everything is there already.']
  return [
    ...made.map(({ kind, made }) => `${String(made).padStart(6)} ${kind.replaceAll('_', ' ')}`),
    `Applied in ${milliseconds} ms.`,
  ]
}
