import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { addStorage, listStorages, removeStorage, type StorageView } from './service.ts'
import { entity } from '../../../http/entity.ts'

const usage = z.strictObject({ count: z.int(), bytes: z.int() })

/** A storage, as the window shows it to administrators. */
const RepositoryStorage = entity(
  'RepositoryStorage',
  {
    name: z.string(),
    folder: z.string(),
    origin: z.enum(['built_in', 'started', 'added']),
    weight: z.int(),
    projects: usage,
    snippets: usage,
    group_wikis: usage,
    free_bytes: z.int().nullable(),
    total_bytes: z.int().nullable(),
  },
  (view: StorageView) => view,
)

export const list = endpoint('GET /-/admin/storages', {
  summary: 'List repository storages',
  can: 'admin',
  volatile: true,
  returns: page(RepositoryStorage, { paging: 'none' }),
  run: async (ctx) => {
    const rows = await listStorages(ctx)
    return { rows, total: rows.length }
  },
})

export const add = endpoint('POST /-/admin/storages', {
  summary: 'Create a repository storage',
  can: 'admin',
  params: {
    name: text({ max: 64, notEmpty: true }).describe("Letters, digits, '_', '-' and '.'"),
    folder: text({ max: 4096, notEmpty: true }).describe(
      'Absolute path. The folder is created if it does not exist',
    ),
  },
  fails: { 400: 'The name or the folder is invalid: `{"message": {"folder": ["…"]}}`' },
  returns: created(RepositoryStorage),
  run: ({ params, ...ctx }) => addStorage(ctx, params),
})

export const remove = endpoint('DELETE /-/admin/storages/:name', {
  summary: 'Delete a repository storage',
  can: 'admin',
  params: { name: text({ max: 64 }).describe('Name of the storage') },
  fails: { 409: 'The storage has repositories, or a start option names it' },
  returns: noContent,
  run: ({ params, ...ctx }) => removeStorage(ctx, params.name),
})
