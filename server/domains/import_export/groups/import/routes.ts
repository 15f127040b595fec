import { endpoint } from '../../../../http/endpoint.ts'
import { file, int, text } from '../../../../http/params.ts'
import { accepted, ok } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupAbilities } from '../../policy.ts'
import { GroupImportProgress } from './entity.ts'
import { importFrom, progressOf } from './service.ts'

const MINUTE = 60
const MEGABYTE = 1024 * 1024
/** Larger than any disk. */
const ANY_SIZE = 2 ** 50

export const importGroup = endpoint('POST /groups/import', {
  summary: 'Import a group from an archive',
  can: 'signed_in',
  params: {
    name: text({ max: 255, notEmpty: true }).describe('Name'),
    path: text({ max: 255, notEmpty: true }).describe('Last part of the address'),
    parent_id: int({ min: 1 }).optional().describe('ID of the parent group'),
    file: file().describe('The archive of an exported group'),
  },
  // Checked before anything is stored, so that unauthorized uploads cannot fill the disk.
  files: (ctx) => {
    if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    const { max_import_size } = settingsOf(ctx)
    return { most: max_import_size > 0 ? max_import_size * MEGABYTE : ANY_SIZE }
  },
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).group_import_limit },
  fails: { 400: 'The name or path is invalid or taken', 403: 'The caller may not create a group there' },
  returns: accepted,
  run: async (ctx) => {
    await importFrom(ctx, ctx.params)
  },
})

export const readProgress = endpoint('GET /-/groups/:id/import_progress', {
  summary: 'Get the progress of the import of a group',
  scope: group,
  can: groupAbilities.export_group,
  returns: ok(GroupImportProgress),
  run: (ctx) => progressOf(ctx, ctx.group),
})
