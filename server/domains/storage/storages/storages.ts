import { join } from 'node:path'
import { existsSync, renameSync } from 'node:fs'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { settingsOf } from '../../settings/index.ts'
import * as store from './store.ts'
import { GitError } from '../../../git/errors.ts'
import type { Failure } from '../../../lib/fail.ts'
import { folderGone } from '../../../lib/files/storage-problem.ts'

/** A folder that holds repositories. */
export interface Storage {
  readonly name: string
  readonly folder: string
  /** `built_in`: it is in the data folder. `started`: a start option names it. `added`: an administrator added it. */
  readonly origin: 'built_in' | 'started' | 'added'
}

/** The storage that every instance has. */
export const DEFAULT_STORAGE = 'default'

/** All storages, `default` first. A start option takes precedence over a row of the same name. */
export function storagesOf(ctx: Pick<Ctx, 'config' | 'db'>): readonly Storage[] {
  return [...storagesByName(ctx).values()]
}

/** The absolute path of the folder of a storage. Throws for an unknown name. */
export function storageFolder(ctx: Pick<Ctx, 'config' | 'db'>, name: string): string {
  // Most repositories are in the default storage, so it needs no lookup.
  if (name === DEFAULT_STORAGE) return dataPaths(ctx.config.dataDir).repositories
  const storage = storagesByName(ctx).get(name)
  if (!storage) throw new Error(`The storage "${name}" is no longer configured.`)
  return storage.folder
}

/** Whether a storage with this name exists. */
export function isStorage(ctx: Pick<Ctx, 'config' | 'db'>, name: string): boolean {
  return name === DEFAULT_STORAGE || storagesByName(ctx).has(name)
}

/**
 * Picks the storage of a new repository at random, by the weights of `repository_storages_weighted` (spec
 * administration 1.2). Returns `default` if no existing storage has a weight. `leaving`, the present storage of a
 * repository that moves, is only picked if there is no other.
 */
export function pickStorage(
  ctx: Pick<Ctx, 'config' | 'db' | 'now' | 'random'>,
  { leaving }: { readonly leaving?: string } = {},
): string {
  const weights = Object.entries(weightsOf(ctx)).filter(
    ([name, weight]) => weight > 0 && isStorage(ctx, name),
  )
  const others = weights.filter(([name]) => name !== leaving)
  const choices = others.length > 0 ? others : weights
  if (choices.length <= 1) return choices[0]?.[0] ?? DEFAULT_STORAGE
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0)
  let remaining = (parseInt(ctx.random.hex(4), 16) / 2 ** 32) * total
  for (const [name, weight] of choices) if ((remaining -= weight) < 0) return name
  return choices.at(-1)![0]
}

/** The weight of each storage, by its name. */
export function weightsOf(ctx: Pick<Ctx, 'db' | 'now'>): Readonly<Record<string, number>> {
  return settingsOf(ctx).repository_storages_weighted
}

function storagesByName(ctx: Pick<Ctx, 'config' | 'db'>): ReadonlyMap<string, Storage> {
  return ctx.db.remember('storages', () => {
    const storages = new Map<string, Storage>()
    const add = (storage: Storage) => void (storages.has(storage.name) || storages.set(storage.name, storage))
    add({
      name: DEFAULT_STORAGE,
      folder: dataPaths(ctx.config.dataDir).repositories,
      origin: 'built_in',
    })
    for (const [name, folder] of Object.entries(ctx.config.storages)) add({ name, folder, origin: 'started' })
    for (const { name, folder } of store.all(ctx.db)) add({ name, folder, origin: 'added' })
    return storages
  })
}

/** The path of a repository in a storage. */
export function repositoryPath(
  ctx: Pick<Ctx, 'config' | 'db'>,
  repository: { readonly repository_storage: string; readonly disk_path: string },
): string {
  return join(storageFolder(ctx, repository.repository_storage), repository.disk_path)
}

/**
 * Moves existing files at the path of a new repository aside, in the transaction that inserts its row. Such files belong
 * to another owner (after a restore of the database, or in a copied folder) and must not become visible.
 * `deskforge doctor` reports them.
 */
export function clearRepositoryPath(
  ctx: Pick<Ctx, 'config' | 'db' | 'log' | 'random'>,
  repository: { readonly repository_storage: string; readonly disk_path: string },
): void {
  const path = repositoryPath(ctx, repository)
  if (!existsSync(path)) return
  const aside = `${path}.found-${ctx.random.hex(4)}`
  renameSync(path, aside)
  ctx.log.error({ path, aside }, 'files at the path of a new repository were moved aside')
}

/** Returns the error for a storage with a missing folder, in which git would find no repositories. */
export function missingFolderOf(ctx: Pick<Ctx, 'config' | 'db'>, name: string): Failure | undefined {
  return existsSync(storageFolder(ctx, name)) ? undefined : folderGone()
}

/**
 * Returns the error to report instead of git's "no repository" when the folder of a storage is missing, for example
 * because its disk is not mounted. Undefined if all folders exist, and for other errors of git.
 */
export function missingStorage(ctx: Pick<Ctx, 'config' | 'db'>, error: unknown): Failure | undefined {
  if (!(error instanceof GitError && error.isRepositoryMissing)) return undefined
  return storagesOf(ctx).every(({ folder }) => existsSync(folder)) ? undefined : folderGone()
}
