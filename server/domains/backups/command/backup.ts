import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

import { dataPaths } from '../../../config.ts'
import { PinnedDatabase } from '../../../db/pinned.ts'
import { StartupError } from '../../../lib/fail.ts'
import { tlsOptionsFor } from '../../../lib/net/own-certificate.ts'
import { renameDurably } from '../../../lib/files/durable-file.ts'
import { lockDataDir } from '../../../db/lock.ts'
import { BackupProblem, sentenceOf } from '../archive/format.ts'
import { kindOf, readHeadOf } from '../archive/read.ts'
import { backupFolder, BACKUP_SUFFIX, filesIn, nameFor, PARTIAL_SUFFIX } from '../service-files.ts'
import { type BackupProgress, localAddressIn, type LocalAddress } from '../local/following.ts'
import { runThread } from '../thread/run-thread.ts'

/** Options of the command. */
export interface BackupCommand {
  readonly dataDir: string
  /** Folders of start options, by name. */
  readonly storages: Readonly<Record<string, string>>
  readonly version: string
  readonly to?: string | undefined
  readonly passphraseFile?: string | undefined
  readonly say: (line: string) => void
}

/** Reads a passphrase from the first line of a file. Throws StartupError. */
export function passphraseIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8').split(/\r?\n/)[0]!
  } catch (error) {
    throw new StartupError(`The passphrase cannot be read: ${(error as Error).message}.`)
  }
  if (text.length < 8) throw new StartupError('The passphrase needs at least 8 characters.')
  return text
}

/**
 * Creates a backup of a data folder and prints the path of the file. An instance that runs on the folder creates it,
 * otherwise this process does. Throws StartupError with a message.
 */
export async function backupCommand(command: BackupCommand): Promise<void> {
  const { dataDir } = command
  if (!existsSync(dataPaths(dataDir).database)) throw new StartupError(`There is no instance in ${dataDir}.`)
  const passphrase = passphraseIn(command.passphraseFile)
  const path = command.to === undefined ? undefined : targetOf(command)
  const lock = tryLock(dataDir)
  if (lock === undefined) return backUpByInstance(command, { passphrase, path })
  try {
    await backUpInProcess(command, { passphrase, path })
  } finally {
    lock.release()
  }
}

/** `--to` names a file, or a folder for it. */
function targetOf({ to, version }: BackupCommand): string {
  const input = resolve(to!)
  const isFolder = statSync(input, { throwIfNoEntry: false })?.isDirectory() ?? false
  const path = isFolder ? join(input, nameFor(input, version, new Date().toISOString())) : input
  if (existsSync(path)) throw new StartupError(`The file ${path} already exists.`)
  return path
}

/** Locks the data folder. Returns undefined if an instance runs on it, which then has to create the backup. */
function tryLock(dataDir: string) {
  try {
    return lockDataDir(dataDir)
  } catch (error) {
    if (localAddressIn(dataDir)) return undefined
    throw error
  }
}

interface BackupOptions {
  readonly passphrase: string | undefined
  readonly path: string | undefined
}

async function backUpInProcess(command: BackupCommand, { passphrase, path }: BackupOptions): Promise<void> {
  const { dataDir, version, say } = command
  const paths = dataPaths(dataDir)
  const created_at = new Date().toISOString()
  const backups = backupFolder(dataDir)
  const target = path ?? join(backups, nameFor(backups, version, created_at))
  const partialFile = `${target}${PARTIAL_SUFFIX}`
  const storages = Object.entries({
    default: paths.repositories,
    ...storagesInDatabase(paths.database),
    ...command.storages,
  })
  try {
    mkdirSync(dirname(target), { recursive: true })
    const { size } = await runThread(
      {
        kind: 'backup',
        sources: {
          dataDir,
          backups,
          storages: storages.map(([name, folder]) => ({ name, folder })),
          mtime: Math.trunc(Date.parse(created_at) / 1000),
        },
        database: paths.database,
        file: partialFile,
        passphrase,
        app_version: version,
        created_at,
      },
      { onProgress: progressPrinter(say) },
    )
    renameDurably(partialFile, target)
    say(`The backup is ${target} (${size} bytes).`)
  } catch (error) {
    rmSync(partialFile, { force: true })
    throw new StartupError(`The backup failed: ${sentenceOf(error)}`)
  }
}

function storagesInDatabase(database: string): Record<string, string> {
  const pinned = new PinnedDatabase(database)
  try {
    return pinned.storages()
  } finally {
    pinned.close()
  }
}

/** Returns a function that prints each step once. */
export function progressPrinter(say: (line: string) => void) {
  let last = ''
  return (step: string): void => {
    if (step !== last) say(`${step}…`)
    last = step
  }
}

async function backUpByInstance(command: BackupCommand, options: BackupOptions): Promise<void> {
  const address = localAddressIn(command.dataDir)!
  const report = progressPrinter(command.say)
  let last: BackupProgress | undefined
  for await (const line of streamBackup(command.dataDir, address, options)) {
    last = line
    if (line.state === 'running') report(line.step ?? 'waiting')
  }
  if (last?.state === 'finished') {
    command.say(`The backup is ${last.path} (${last.size} bytes).`)
    return
  }
  throw new StartupError(`The backup failed: ${last?.error ?? 'the instance canceled it.'}`)
}

async function* streamBackup(
  dataDir: string,
  address: LocalAddress,
  options: BackupOptions,
): AsyncGenerator<BackupProgress> {
  const headers = { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' }
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const trust = address.url.startsWith('https:')
      ? tlsOptionsFor(readFileSync(dataPaths(dataDir).ownCertificate))
      : {}
    const sendRequest = address.url.startsWith('https:') ? requestTls : request
    const outgoing = sendRequest(
      `${address.url}/-/local/backups`,
      { method: 'POST', headers, ...trust },
      resolve,
    )
    outgoing.once('error', reject)
    outgoing.end(JSON.stringify({ passphrase: options.passphrase, path: options.path }))
  }).catch((error: Error) => {
    throw new StartupError(`The instance at ${address.url} does not answer: ${error.message}.`)
  })
  const lines = createInterface({ input: response, crlfDelay: Infinity })
  try {
    for await (const text of lines) {
      const line = JSON.parse(text) as BackupProgress & { message?: string }
      if (response.statusCode !== 200)
        throw new StartupError(`The backup failed: ${line.message ?? 'the instance refused it.'}`)
      yield line
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError('The backup failed: the instance was stopped.')
  }
}

/** Prints the backups of a data folder. */
export async function listCommand({ dataDir, say }: Pick<BackupCommand, 'dataDir' | 'say'>): Promise<void> {
  const folder = dataPaths(dataDir).backups
  const names = existsSync(folder) ? filesIn(folder).filter((name) => name.endsWith(BACKUP_SUFFIX)) : []
  for (const name of names.sort()) {
    const path = join(folder, name)
    const kind = kindOf(path)
    const head = kind === 'plain' ? await readHeadOf(path).catch(() => undefined) : undefined
    const details = head
      ? `${head.created_at}  ${head.app_version}`
      : kind === 'sealed'
        ? 'sealed'
        : 'unreadable'
    say(`${path}  ${statSync(path).size} bytes  ${details}`)
  }
  if (names.length === 0) say(`There are no backups in ${folder}.`)
}

/** Reads a backup from beginning to end. Throws StartupError for a damaged one. */
export async function verifyCommand(options: {
  file: string
  passphraseFile?: string | undefined
  say: (line: string) => void
}): Promise<void> {
  const file = resolve(options.file)
  const passphrase = passphraseIn(options.passphraseFile)
  try {
    const { head } = await runThread({ kind: 'verify', file, passphrase })
    options.say(
      `${basename(file)} is whole: ${head.files} files of ${head.created_at}, version ${head.app_version}.`,
    )
  } catch (error) {
    if (!(error instanceof BackupProblem) && (error as NodeJS.ErrnoException).code === undefined) throw error
    throw new StartupError(sentenceOf(error))
  }
}
