import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { useWorkbench } from '../policy.ts'
import { deleteSnapshot, restoreSnapshot, saveSnapshot, snapshotsOf } from './service.ts'
import { entity, time } from '../../../http/entity.ts'
import type { Manifest } from './manifest.ts'

/** A snapshot of the instance. */
const WorkbenchSnapshot = entity(
  'WorkbenchSnapshot',
  {
    name: z.string(),
    created_at: time(),
    version: z.string().describe('Version of the instance that saved it'),
    database_bytes: z.int(),
    repositories: z.int(),
    files: z.int().describe('Uploads, artifacts and other files'),
  },
  ({ name, created_at, version, database_bytes, repositories, files }: Manifest) => ({
    name,
    created_at,
    version,
    database_bytes,
    repositories,
    files,
  }),
)

const name = text({ max: 100, notEmpty: true }).describe('Name of the snapshot')
const BUSY = 'Another snapshot is being saved or restored, or running work did not end in time'

export const listSnapshots = endpoint('GET /-/workbench/snapshots', {
  summary: 'List the snapshots of the instance, newest first',
  can: useWorkbench,
  returns: page(WorkbenchSnapshot, { paging: 'none' }),
  run: (ctx) => {
    const rows = snapshotsOf(ctx)
    return { rows, total: rows.length }
  },
})

export const save = endpoint('POST /-/workbench/snapshots', {
  summary: 'Save a snapshot of the instance',
  can: useWorkbench,
  params: { name, replace: bool().optional().describe('Replace an existing snapshot of this name') },
  fails: { 400: 'The name is invalid', 409: `The name is taken. ${BUSY}` },
  returns: created(WorkbenchSnapshot),
  run: (ctx) => saveSnapshot(ctx, ctx.params.name, ctx.params.replace ?? false),
})

export const restore = endpoint('POST /-/workbench/snapshots/:name/restore', {
  summary: 'Restore a snapshot without a restart',
  can: useWorkbench,
  params: { name },
  fails: {
    409: `${BUSY}. The snapshot is from a newer release, was created with another key, or is damaged`,
  },
  returns: created(WorkbenchSnapshot),
  run: (ctx) => restoreSnapshot(ctx, ctx.params.name),
})

export const remove = endpoint('DELETE /-/workbench/snapshots/:name', {
  summary: 'Delete a snapshot',
  can: useWorkbench,
  params: { name },
  fails: { 409: BUSY },
  returns: noContent,
  run: (ctx) => deleteSnapshot(ctx, ctx.params.name),
})
