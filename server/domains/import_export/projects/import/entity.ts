import { z } from 'zod'

import { entity, time, row } from '../../../../http/entity.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import type { RelationImport } from './store.ts'

/** The import of one relation into an existing project (spec administration 6.6). */
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
  row((view: { readonly project: Project; readonly row: RelationImport }) => view.row),
  ({ project }) => ({
    project_path: fullPath(project),
  }),
)
