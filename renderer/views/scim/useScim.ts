import { computed, ref } from 'vue'
import { api, type Item } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { useConfirmed } from '../../api/useConfirmed.ts'
import { usePage } from '../../api/usePage.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { t } from '../../locales/t.ts'

/** Whose people an identity provider manages. */
export type ScimOwner = { kind: 'group'; id: number } | { kind: 'instance' }
export type Identity = Item<'GET /-/scim/identities'>

const GROUP = {
  connection: 'GET /-/groups/:id/scim/connection',
  make: 'POST /-/groups/:id/scim/connection',
  revoke: 'DELETE /-/groups/:id/scim/connection',
  identities: 'GET /-/groups/:id/scim/identities',
  forget: 'DELETE /-/groups/:id/scim/identities/:uid',
} as const
const INSTANCE = {
  connection: 'GET /-/scim/connection',
  make: 'POST /-/scim/connection',
  revoke: 'DELETE /-/scim/connection',
  identities: 'GET /-/scim/identities',
  forget: 'DELETE /-/scim/identities/:uid',
} as const

export const PER_PAGE = 50

/** The connection of an identity provider and whom it brought, with what can be done about them. */
export const useScim = (owner: ScimOwner) => {
  // Both kinds ask and answer alike; only the group has an id.
  const at = (owner.kind === 'group' ? GROUP : INSTANCE) as typeof GROUP
  const id = (owner.kind === 'group' ? { id: owner.id } : {}) as { id: number }
  const { state, set } = useUrlState({ page: 1 })
  const connection = useApi(at.connection, () => id)
  const list = usePage(at.identities, () => ({ ...id, page: state.value.page, per_page: PER_PAGE }))
  const token = ref<string | null>(null)
  const stale = [at.connection, at.identities]

  const make = useAction({
    invalidates: stale,
    run: () => api(at.make, id),
    onDone: (made) => {
      token.value = made.token ?? null
    },
  })
  const revoke = useAction({
    invalidates: stale,
    run: () => api(at.revoke, id),
    done: t('scim.token_revoked'),
    onDone: () => {
      token.value = null
    },
  })
  const forget = useConfirmed({
    invalidates: stale,
    run: (one: Identity) => api(at.forget, { ...id, uid: one.extern_uid }),
    done: t('scim.identity_deleted'),
  })
  return {
    connection,
    found: computed(() => connection.data.value),
    list,
    page: computed(() => state.value.page),
    turn: (page: number) => set({ page }),
    token,
    make,
    revoke,
    forget,
  }
}
