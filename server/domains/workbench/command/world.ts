import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { Failure, StartupError } from '../../../lib/fail.ts'
import { findProject } from '../../projects/index.ts'
import { userByUsername } from '../../users/index.ts'
import type { WorldOutcome } from '../worlds/entity.ts'
import type { Problem } from '../worlds/model/document.ts'
import { applyWorld } from '../worlds/service.ts'
import { shippedWorld } from '../worlds/service-shipped.ts'
import { needsFolder, type PackedFolder } from '../worlds/service-folders.ts'
import { requestJson, requestText, RefusedRequest, sendFile, type Target } from './request.ts'
import { foldersOfFile, packWorldFolder, withPackedFolders } from './world-folders.ts'

const PATH = '/-/workbench/worlds'

/** A command about worlds. */
export interface WorldCommand extends Target {
  readonly action: string | undefined
  /** A file, or the name of a world that comes with the instance. */
  readonly file: string | undefined
  /** The projects and groups to write, by full path or ID; without any, the whole instance is written. */
  readonly selection: Readonly<Record<'projects' | 'groups', readonly string[]>>
  readonly json: boolean
  readonly print: (line: string) => void
}

interface ShippedWorld {
  readonly name: string
  readonly title: string
  readonly description: string
}

/**
 * Applies or checks a world on a running instance, writes the instance as a world, or lists the worlds that come with
 * it. Throws StartupError.
 */
export async function worldCommand(command: WorldCommand): Promise<void> {
  const { action, file, json, print } = command
  if (action === undefined || action === 'list') {
    const worlds = (await requestJson(command, 'GET', `${PATH}/shipped`)) as ShippedWorld[]
    if (json) return print(JSON.stringify(worlds))
    for (const { name, description } of worlds) print(`${name.padEnd(18)} ${description}`)
    return
  }
  if (action === 'write') return writeCurrent(command)
  if (action !== 'apply' && action !== 'check')
    throw new StartupError(`There is no "world ${action}"; it is apply, check, write or list.`)
  if (file === undefined) throw new StartupError(`Name the world: deskforge world ${action} FILE`)
  try {
    const outcome = isShipped(file)
      ? await sendWorld(command, { shipped: file }, action === 'check')
      : await sendFromFile(command, file, action === 'check')
    for (const line of json ? [JSON.stringify(outcome)] : outcomeLines(outcome)) print(line)
  } catch (error) {
    if (error instanceof RefusedRequest && json) print(JSON.stringify(error.body))
    throw error instanceof RefusedRequest ? withPositions(error, file) : error
  }
}

/** Writes the instance, or the selected part of it, as a world into a file, or prints the world. */
async function writeCurrent(command: WorldCommand): Promise<void> {
  const { file, selection, print } = command
  const query = new URLSearchParams()
  for (const [kind, names] of Object.entries(selection))
    for (const name of names) query.append(`${kind}[]`, name)
  const text = await requestText(command, 'GET', `${PATH}/current?${query.toString()}`)
  if (file === undefined) return print(text.trimEnd())
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new StartupError(`The file ${file} cannot be written: ${(error as Error).message}.`)
  }
  print(`Wrote ${file}.`)
}

async function sendWorld(
  command: WorldCommand,
  world: Readonly<Record<string, unknown>>,
  dry_run: boolean,
): Promise<WorldOutcome> {
  return (await requestJson(command, 'POST', PATH, { ...world, dry_run })) as WorldOutcome
}

/** Sends the content of the folders that the instance needs, then the text of a world. */
async function sendFromFile(command: WorldCommand, file: string, isDryRun: boolean): Promise<WorldOutcome> {
  const content = readWorld(file)
  const { folders: foundFolders, problems } = await foldersOfFile(file, content)
  if (problems.length > 0) throw problemsOf(file, problems)
  if (foundFolders.length === 0) return sendWorld(command, { content }, isDryRun)
  const empty = Object.fromEntries(foundFolders.map(({ source }) => [source.project, '']))
  const checkResult = await sendWorld(command, { content, folders: empty }, true)
  if (isDryRun) return checkResult
  const neededFolders = foundFolders.filter(({ source }) => checkResult.folders.includes(source.project))
  const folders: Record<string, string> = {}
  await withPackedFolders(neededFolders, async (source, { kind, folder, path }) => {
    try {
      const sent = await sendFile(command, `${PATH}/folders`, { kind, folder, file: path })
      folders[source.project] = (sent as { id: string }).id
    } catch (error) {
      throw error instanceof RefusedRequest ? problemsOf(file, [source.problem(error.message)]) : error
    }
  })
  return sendWorld(command, { content, folders }, false)
}

/** True for the name of a world that is part of Deskforge. Everything else is the path of a file. */
const isShipped = (file: string): boolean => /^[\w-]+$/.test(file)

/** One line for each problem, as compilers write them: editors and terminals open the file there. */
function withPositions(refused: RefusedRequest, file: string): StartupError {
  const { errors, done } = (refused.body ?? {}) as { errors?: readonly Problem[]; done?: unknown }
  return errors === undefined || errors.length === 0 ? refused : problemsOf(file, errors, done !== undefined)
}

function problemsOf(file: string, problems: readonly Problem[], isPartlyApplied = false): StartupError {
  const lines = problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
  const end = isPartlyApplied ? ['The steps before it are done; correct the world and apply it again.'] : []
  return new StartupError([...lines, ...end].join('\n'))
}

/**
 * Applies the world in a file, or a world that comes with the instance, while the instance starts. Throws StartupError.
 */
export async function applyAtStart(ctx: Ctx, file: string): Promise<void> {
  const text = await textAtStart(ctx.config, file)
  const { folders: foundFolders, problems } = await foldersOfFile(file, text)
  if (problems.length > 0) throw problemsOf(file, problems)
  const admin = userByUsername(ctx.db, 'root')
  if (!admin?.is_admin)
    throw new StartupError('A world needs the administrator root, whom the first run creates.')
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
    const folders = new Map<string, PackedFolder>()
    for (const folder of foundFolders.filter(({ source }) => needsFolder(findProject(ctx, source.project)))) {
      // Every start empties this folder.
      const path = join(dataPaths(ctx.config.dataDir).tmp, `world-folder-${folders.size}.tar`)
      folders.set(folder.source.project, await packWorldFolder(folder, path))
    }
    await applyWorld({ ...ctx, actor }, text, { isDryRun: false, folders })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problems = error.body?.['errors'] as readonly Problem[] | undefined
    if (problems) throw problemsOf(file, problems, error.body?.['done'] !== undefined)
    throw new StartupError(`The world ${file} cannot be applied: ${error.message}`)
  }
}

async function textAtStart(config: Config, file: string): Promise<string> {
  if (!isShipped(file)) return readWorld(file)
  return shippedWorld(config, file).catch((error: unknown) => {
    throw error instanceof Failure ? new StartupError(`No built-in world has the name ${file}.`) : error
  })
}

/** The maximum size of a world in bytes. The API has the same limit. */
const MAX_BYTES = 16 * 1024 * 1024

function readWorld(file: string): string {
  try {
    const { size } = statSync(file)
    if (size > MAX_BYTES) throw new StartupError(`The world ${file} is larger than 16 MB.`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`The world ${file} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}.`)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'its permissions do not allow it',
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  return REASONS[code] ?? message
}

function outcomeLines({ dry_run, counts, milliseconds }: WorldOutcome): string[] {
  if (dry_run) return ['The world has no mistake.']
  const created = counts.filter((count) => count.made > 0)
  if (created.length === 0) return ['Everything already exists.']
  return [
    ...created.map(({ kind, made }) => `${String(made).padStart(6)} ${kind.replaceAll('_', ' ')}`),
    `Applied in ${milliseconds} ms.`,
  ]
}
