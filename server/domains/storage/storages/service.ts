import { statfs } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import type { StorageView } from './entity.ts'
import { StorageChanged } from './events.ts'
import { prepareFolder } from './folders.ts'
import { DEFAULT_STORAGE, isStorage, storagesOf, weightsOf, type Storage } from './storages.ts'
import * as store from './store.ts'

const NAME = /^[A-Za-z0-9_.-]{1,64}$/

/** All storages with the numbers of their repositories, `default` first. */
export async function listStorages(ctx: Ctx): Promise<StorageView[]> {
  const held = store.held(ctx.db)
  const weights = weightsOf(ctx)
  return Promise.all(storagesOf(ctx).map((one) => viewOf(one, held, weights[one.name] ?? 0)))
}

async function viewOf(storage: Storage, held: readonly store.Held[], weight: number): Promise<StorageView> {
  const own = (kind: store.Held['kind']) => {
    const found = held.find((one) => one.storage === storage.name && one.kind === kind)
    return { count: found?.count ?? 0, bytes: found?.bytes ?? 0 }
  }
  const disk = await statfs(storage.folder).catch(() => undefined)
  return {
    ...storage,
    weight,
    projects: own('project'),
    snippets: own('snippet'),
    group_wikis: own('group'),
    free_bytes: disk ? disk.bavail * disk.bsize : null,
    total_bytes: disk ? disk.blocks * disk.bsize : null,
  }
}

/** Adds a storage. Throws 400 for an invalid name or folder. */
export async function addStorage(ctx: Ctx, given: { name: string; folder: string }): Promise<StorageView> {
  const { name } = given
  if (!NAME.test(name) || name === '.' || name === '..')
    throw invalid({ name: "can contain only letters, digits, '_', '-' and '.'" })
  refuseTaken(ctx, name)
  const folder = await prepareFolder(ctx, given.folder)
  tx(ctx.db, () => {
    refuseTaken(ctx, name)
    if (storagesOf(ctx).some((one) => one.folder === folder))
      throw invalid({ folder: 'has already been taken' })
    store.insert(ctx.db, { name, folder, created_at: ctx.now })
    publish(ctx, StorageChanged, { name, action: 'added', actor_id: ctx.actor.id })
  })
  const all = await listStorages(ctx)
  return all.find((one) => one.name === name)!
}

function refuseTaken(ctx: Ctx, name: string): void {
  if (isStorage(ctx, name)) throw invalid({ name: 'has already been taken' })
}

/** Removes a storage; its folder stays. Throws 404, and 409 for one that a start option names or that has repositories. */
export function removeStorage(ctx: Ctx, name: string): void {
  tx(ctx.db, () => {
    const found = storagesOf(ctx).find((one) => one.name === name)
    if (!found) throw notFound('Storage')
    if (name === DEFAULT_STORAGE) throw fail('conflict', 'The storage "default" cannot be removed.')
    if (found.origin !== 'added')
      throw fail('conflict', 'A start option names this storage; remove the option instead.')
    if (store.isUsed(ctx.db, name))
      throw fail('conflict', 'This storage has repositories. Move them to another storage first.')
    store.remove(ctx.db, name)
    publish(ctx, StorageChanged, { name, action: 'removed', actor_id: ctx.actor.id })
  })
}
