import { z } from 'zod'

import { entity, time, type Presentation } from '../../../http/entity.ts'
import { UserPublic } from '../entity.ts'
import type { KeyWithUser } from './ssh-service.ts'
import type { SshKeyView } from './ssh-store.ts'
import type { GpgKeyRow } from './gpg-store.ts'

const keyFields = {
  id: z.int(),
  title: z.string(),
  created_at: time(),
  expires_at: time().nullable(),
  key: z.string(),
  usage_type: z.string(),
}

/**
 * Returns a public key with a new comment: the name of its user and the host of the instance. The original comment
 * may reveal where the user works, and all users may read the keys of others.
 */
function keyWithPublicComment(row: SshKeyView, at: Presentation): string {
  const [type, blob] = row.key.split(' ')
  const name = row.owner_name === null ? '' : `${row.owner_name} `
  return `${type} ${blob} ${name}(${new URL(at.url).hostname})`
}

/** Returns the fields of an SSH key. Signatures also contain them. */
export function keyOf(row: SshKeyView, at: Presentation) {
  return {
    id: row.id,
    title: row.title,
    created_at: row.created_at,
    expires_at: row.expires_at,
    key: keyWithPublicComment(row, at),
    usage_type: row.usage_type,
  }
}

/** An SSH key of a user (spec core 7.2). */
export const SSHKey = entity('SSHKey', keyFields, (row: SshKeyView, at) => keyOf(row, at))

/** An SSH key or deploy key with its user and the projects that enable the deploy key, for administrators. */
export const SSHKeyWithUser = entity(
  'SSHKeyWithUser',
  {
    ...keyFields,
    user: UserPublic.schema.nullable(),
    deploy_keys_projects: z
      .array(
        z.strictObject({
          id: z.int(),
          deploy_key_id: z.int(),
          project_id: z.int(),
          created_at: time(),
          updated_at: time(),
          can_push: z.boolean(),
        }),
      )
      .optional(),
  },
  ({ key, user, projects }: KeyWithUser, at) => ({
    ...keyOf(key, at),
    // Deploy keys keep their original comment.
    ...(key.user_id === null ? { key: key.key } : {}),
    user: user ? UserPublic.present(user, at) : null,
    ...(projects
      ? { deploy_keys_projects: projects.map((project) => ({ ...project, can_push: project.can_push })) }
      : {}),
  }),
)

/** A GPG key of a user (spec core 7.2). */
export const GpgKey = entity(
  'GpgKey',
  { id: z.int(), key: z.string(), created_at: time() },
  ({ id, key, created_at }: GpgKeyRow) => ({ id, key, created_at }),
)
