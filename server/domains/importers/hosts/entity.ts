import { z } from 'zod'

import { entity, type Presentation } from '../../../http/entity.ts'
import type { Run } from '../../import_export/index.ts'
import { fullPath, type Project } from '../../projects/index.ts'

const fields = { id: z.int(), name: z.string(), full_path: z.string(), full_name: z.string() }

const shown = (project: Project) => ({
  id: project.id,
  name: project.name,
  full_path: `/${fullPath(project)}`,
  full_name: `${project.namespace_full_name} / ${project.name}`,
})

/** A project that is being imported from another host (spec administration 6.9). */
export const HostImportedProject = entity('HostImportedProject', fields, (project: Project) => shown(project))

/** A project with its canceled import. */
export interface CanceledImport {
  readonly project: Project
  readonly run: Run | undefined
}

export const HostImportCanceled = entity(
  'HostImportCanceled',
  {
    ...fields,
    import_source: z.string().nullable(),
    import_status: z.string(),
    human_import_status_name: z.string(),
    provider_link: z.string().nullable(),
  },
  ({ project, run }: CanceledImport, _at: Presentation) => ({
    ...shown(project),
    import_source: run?.import_source ?? null,
    import_status: project.import_status,
    human_import_status_name: project.import_status,
    provider_link: run?.provider_link ?? null,
  }),
)
