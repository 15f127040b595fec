import { z } from 'zod'

import { entity, time } from '../../../../../http/entity.ts'
import { fullPath, type Project } from '../../../../projects/index.ts'
import type { RelationImport } from './store.ts'

/** A relation that is taken into a project once more (spec administration 6.6). */
export const RelationImportTracker = entity(
  'RelationImportTracker',
  {
    id: z.int(),
    project_path: z.string(),
    relation: z.string(),
    status: z.string(),
    created_at: time(),
    updated_at: time(),
  },
  ({ project, row }: { readonly project: Project; readonly row: RelationImport }) => ({
    id: row.id,
    project_path: fullPath(project),
    relation: row.relation,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }),
)
