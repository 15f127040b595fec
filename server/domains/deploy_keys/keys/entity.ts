import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import type { Project } from '../../projects/index.ts'
import type { DeployKeyRow, EnabledKey, WritableProject } from './store.ts'

const keyFields = {
  id: z.int(),
  title: z.string(),
  key: z.string(),
  fingerprint: z.string().nullable(),
  fingerprint_sha256: z.string(),
  created_at: time(),
  expires_at: time().nullable(),
}

function keyOf(row: DeployKeyRow) {
  return {
    id: row.id,
    title: row.title,
    key: row.key,
    fingerprint: row.fingerprint,
    fingerprint_sha256: row.fingerprint_sha256,
    created_at: row.created_at,
    expires_at: row.expires_at,
  }
}

/** A deploy key. */
export const DeployKey = entity('DeployKey', keyFields, keyOf)

/** A deploy key of a project (spec administration 13). */
export const ProjectDeployKey = entity(
  'ProjectDeployKey',
  { ...keyFields, can_push: z.boolean() },
  (row: EnabledKey) => ({ ...keyOf(row), can_push: row.can_push }),
)

/** A deploy key with the projects that it can write to, for administrators. */
export const DeployKeyWithProjects = entity(
  'DeployKeyWithProjects',
  { ...keyFields, projects_with_write_access: z.array(ProjectIdentity.schema) },
  ({ key, projects }: { key: DeployKeyRow; projects: readonly WritableProject[] }, at) => ({
    ...keyOf(key),
    // The entity of a project identity needs only these columns.
    projects_with_write_access: projects.map((one) => ProjectIdentity.present(one as Project, at)),
  }),
)
