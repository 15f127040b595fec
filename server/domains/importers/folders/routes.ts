import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, file, text } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { importFolder } from './service.ts'

const MB = 1024 * 1024
/** Larger than any disk. */
const ANY_SIZE = 2 ** 50

const FolderImport = entity(
  'FolderImport',
  { id: z.int(), path_with_namespace: z.string(), import_status: z.string() },
  (project: Project) => ({
    id: project.id,
    path_with_namespace: fullPath(project),
    import_status: project.import_status,
  }),
)

/** The window uploads the folder that the user chose; the instance itself never reads folders of this machine. */
export const send = endpoint('POST /-/imports/folder', {
  summary: 'Create a project from a folder, uploaded as a tar file',
  can: 'signed_in',
  params: {
    file: file().describe('The folder as an uncompressed tar file, with relative paths'),
    kind: choice('repository', 'bare', 'files').describe(
      'With a `.git` in it, a bare repository, or files alone',
    ),
    folder: text({ max: 255 }).describe('Name of the folder'),
    path: text().describe('Path of the new project'),
    name: text().optional().describe('Name of the new project; by default its path'),
    namespace: text()
      .optional()
      .describe('Id or full path of the target namespace; by default the personal one'),
  },
  files: (ctx: Ctx) => {
    if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    const { max_import_size: limit } = settingsOf(ctx)
    return {
      maxBytes: limit === 0 ? ANY_SIZE : limit * MB,
      tooLarge: `The folder is larger than ${limit} MB`,
    }
  },
  limit: {
    max: 6,
    per: 60,
    together: 'project_import',
    maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
  },
  fails: {
    400: 'The name or path is taken or invalid, or the caller may not create projects in the namespace',
    404: 'There is no such namespace',
    413: 'The folder is larger than the setting max_import_size',
  },
  returns: created(FolderImport),
  run: ({ params: { file: sent, ...input }, ...ctx }) => importFolder(ctx, input, sent),
})
