import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { fingerprintsOf, parseSshKey } from '../../../../lib/ssh/public-key.ts'
import {
  checkNewKey,
  insertSshKey,
  removeSshKey,
  sshKeyByFingerprint,
  updateSshKey,
  type KeyInput,
  type SshKeyRow,
} from '../../../users/index.ts'
import type { Project } from '../../../projects/index.ts'
import { DeployKeyDisabled, DeployKeyEnabled, DeployKeyUpdated } from '../../events.ts'
import * as store from './store.ts'
import type { DeployKeyRow, EnabledKey } from './store.ts'
import type { DeployKeyActor } from '../../../../policy/actor.ts'

/** Returns a deploy key of a project. Throws `404 Deploy Key Not Found`. */
export function getKey(ctx: Pick<Ctx, 'db'>, project: Pick<Project, 'id'>, keyId: number): EnabledKey {
  const key = store.oneOf(ctx.db, project.id, keyId)
  if (!key) throw notFound('Deploy Key')
  return key
}

/** The payload of an event about a key. */
function payloadOf(ctx: Ctx, project: Project, keyId: number) {
  return { project_id: project.id, key_id: keyId, actor_id: ctx.actor.id }
}

/** Creates a deploy key without a project. Like for SSH keys of users, throws 400 for an invalid key. */
function insert(ctx: Ctx, input: KeyInput, isPublic: boolean): number {
  return insertSshKey(ctx.db, {
    ...checkNewKey(ctx, input),
    is_deploy_key: true,
    public: isPublic,
    created_by_id: ctx.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  }).id
}

/** Creates a public deploy key, which every project can enable. */
export function createPublicKey(ctx: Ctx, input: KeyInput): DeployKeyRow {
  return tx(ctx.db, () => store.availableKey(ctx.db, ctx, insert(ctx, input, true))!)
}

function enable(ctx: Ctx, project: Project, keyId: number, canPush: boolean): EnabledKey {
  store.link(ctx.db, { keyId, projectId: project.id, canPush, now: ctx.now })
  publish(ctx, DeployKeyEnabled, { ...payloadOf(ctx, project, keyId), can_push: canPush })
  return getKey(ctx, project, keyId)
}

/**
 * Adds a deploy key to a project. Returns the key unchanged if the project already has it. Enables an existing key if the
 * actor may enable it, and refuses any other existing key.
 */
export function addKey(
  ctx: Ctx,
  project: Project,
  input: KeyInput & { readonly can_push?: boolean | undefined },
): EnabledKey {
  return tx(ctx.db, () => {
    const existing = knownKey(ctx, input.key)
    const enabled = existing && store.oneOf(ctx.db, project.id, existing.id)
    if (enabled) return enabled
    const keyId = existing?.id ?? insert(ctx, input, false)
    return enable(ctx, project, keyId, input.can_push ?? false)
  })
}

function knownKey(ctx: Ctx, text: string): DeployKeyRow | undefined {
  const key = parseSshKey(text)
  const row = key && sshKeyByFingerprint(ctx.db, 'fingerprint_sha256', fingerprintsOf(key.blob).sha256)
  return row && store.availableKey(ctx.db, ctx, row.id)
}

/** Enables an existing deploy key for a project. Throws 404 for a key that the actor cannot enable. */
export function enableKey(ctx: Ctx, project: Project, keyId: number): EnabledKey {
  return tx(ctx.db, () => {
    const enabled = store.oneOf(ctx.db, project.id, keyId)
    if (enabled) return enabled
    if (!store.availableKey(ctx.db, ctx, keyId)) throw notFound('Deploy Key')
    return enable(ctx, project, keyId, false)
  })
}

/**
 * Updates the title of a key, for all projects, and its write access to one project. Only administrators may change
 * titles of public keys.
 */
export function changeKey(
  ctx: Ctx,
  project: Project,
  keyId: number,
  changes: { title?: string | undefined; can_push?: boolean | undefined },
): EnabledKey {
  return tx(ctx.db, () => {
    const before = getKey(ctx, project, keyId)
    if (changes.title !== undefined && changes.title !== before.title) {
      if (before.public && !ctx.actor.is_admin) throw fail('forbidden')
      updateSshKey(ctx.db, keyId, { title: changes.title, updated_at: ctx.now })
    }
    const canPush = changes.can_push ?? before.can_push
    store.updateLink(ctx.db, { keyId, projectId: project.id, canPush, now: ctx.now })
    publish(ctx, DeployKeyUpdated, { ...payloadOf(ctx, project, keyId), can_push: canPush })
    return getKey(ctx, project, keyId)
  })
}

/** Removes a key from a project. A key without projects is deleted, unless it is public. */
export function removeKey(ctx: Ctx, project: Project, key: EnabledKey): void {
  tx(ctx.db, () => {
    // The event precedes the deletion, because the audit log reads the title of the key.
    publish(ctx, DeployKeyDisabled, payloadOf(ctx, project, key.id))
    store.unlink(ctx.db, key.id, project.id)
    if (!key.public && !store.isLinked(ctx.db, key.id)) removeSshKey(ctx.db, key.id)
  })
}

/** The actor of a deploy key that authenticated over SSH. Undefined if it expired or is not a deploy key. */
export function deployKeyActor(
  ctx: Pick<Ctx, 'now'>,
  key: Pick<SshKeyRow, 'id' | 'is_deploy_key' | 'created_by_id' | 'expires_at'>,
): DeployKeyActor | undefined {
  if (!key.is_deploy_key || (key.expires_at !== null && key.expires_at <= ctx.now)) return undefined
  return {
    kind: 'deploy_key',
    id: key.created_by_id,
    key_id: key.id,
    is_admin: false,
    external: true,
    scopes: null,
  }
}
