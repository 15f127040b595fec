import { endpoint } from '../../../../../http/endpoint.ts'
import { choice, file, text } from '../../../../../http/params.ts'
import { created, page } from '../../../../../http/returns.ts'
import { abilities as importAbilities } from '../../../imports/policy.ts'
import { project } from '../../../../projects/index.ts'
import { importLimit, uploadLimit } from '../limits.ts'
import { importRelation } from './begin.ts'
import { RelationImportTracker } from './entity.ts'
import { ofProject } from './store.ts'

export const begin = endpoint('POST /projects/import-relation', {
  summary: 'Take one relation of an archive into a project once more; what is there already stays as it is',
  can: 'signed_in',
  params: {
    file: file().describe('The archive of an export, tar.gz'),
    path: text({ notEmpty: true }).describe('Full path of the project'),
    relation: choice('issues', 'merge_requests', 'ci_pipelines', 'milestones').describe('What is taken'),
  },
  files: uploadLimit,
  limit: importLimit,
  fails: {
    400: 'It is no archive',
    403: 'For who maintains the project, and where archives are among the sources of projects',
    404: 'There is no such project: `{"message": "404 Project Not Found"}`',
    409: 'One is under way in this project',
    413: 'The file is larger than the setting max_import_size',
  },
  returns: created(RelationImportTracker),
  run: ({ params: { file: archive, ...wanted }, ...ctx }) => importRelation(ctx, wanted, archive),
})

export const list = endpoint('GET /projects/:id/relation-imports', {
  summary: 'List the relations that were taken into a project once more, newest first',
  scope: project,
  can: importAbilities.manage_import,
  returns: page(RelationImportTracker),
  run: ({ db, project: owner, paging }) => {
    const { rows, total } = ofProject(db, owner.id, paging)
    return { rows: rows.map((row) => ({ project: owner, row })), total }
  },
})
