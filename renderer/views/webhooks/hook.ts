import { api, type Item, type Params } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

/** Whose a webhook is. */
export type HookKind = 'project' | 'group' | 'system'

/** A webhook of any owner; those of groups and of the instance lack some of the flags. */
export type Hook = Item<'GET /hooks'> &
  Partial<
    Omit<Item<'GET /projects/:id/hooks'>, 'project_id'> & Omit<Item<'GET /groups/:id/hooks'>, 'group_id'>
  >

/** One delivery of a webhook. */
export type Delivery = Item<'GET /hooks/:hook_id/events'>

/** An event flag of a webhook. */
export type EventFlag =
  | Extract<keyof Params<'POST /groups/:id/hooks'>, `${string}_events`>
  | 'repository_update_events'

/** The request body to create or edit a webhook. */
export type HookInput = Omit<Params<'PUT /groups/:id/hooks/:hook_id'>, 'id' | 'hook_id'>

/** The owner of the webhooks, as request parameters. */
export type HookOwner = { kind: HookKind; id: number | null }

const AT = { project: '/projects/:id/hooks', group: '/groups/:id/hooks', system: '/hooks' } as const

/** The endpoints of one kind of owner. All kinds have the same types. */
export const endpointsOf = (kind: HookKind) => ({
  list: `GET ${AT[kind]}` as 'GET /hooks',
  one: `GET ${AT[kind]}/:hook_id` as 'GET /hooks/:hook_id',
  log: `GET ${AT[kind]}/:hook_id/events` as 'GET /hooks/:hook_id/events',
  entry: `GET ${AT[kind]}/:hook_id/events/:hook_event_id` as 'GET /hooks/:hook_id/events/:hook_event_id',
})

/** The parameter that names the owner. */
export const ownerParams = ({ id }: HookOwner) => (id === null ? {} : { id })

/** Cached answers that are stale after a change of a webhook. */
export const staleOf = (kind: HookKind) => [`GET ${AT[kind]}*`]

/** What can be done with the webhooks of an owner. */
export const verbsOf = (owner: HookOwner) => {
  const at = AT[owner.kind]
  const own = ownerParams(owner)
  return {
    create: (input: HookInput) =>
      api(`POST ${at}` as 'POST /hooks', { ...own, ...input } as Params<'POST /hooks'>) as Promise<Hook>,
    update: (hook_id: number, input: HookInput) =>
      api(`PUT ${at}/:hook_id` as 'PUT /hooks/:hook_id', { ...own, ...input, hook_id }) as Promise<Hook>,
    remove: (hook_id: number) =>
      api(`DELETE ${at}/:hook_id` as 'DELETE /hooks/:hook_id', { ...own, hook_id }),
    /** System hooks have one sample; all others are tested with the newest record of a kind. */
    test: async (hook_id: number, trigger: EventFlag | null): Promise<unknown> =>
      trigger === null
        ? api('POST /hooks/:hook_id', { hook_id })
        : api(`POST ${at}/:hook_id/test/:trigger` as 'POST /projects/:id/hooks/:hook_id/test/:trigger', {
            ...(own as { id: number }),
            hook_id,
            trigger: trigger as 'push_events',
          }),
    resend: (hook_id: number, hook_event_id: number) =>
      api(
        `POST ${at}/:hook_id/events/:hook_event_id/resend` as 'POST /hooks/:hook_id/events/:hook_event_id/resend',
        { ...own, hook_id, hook_event_id },
      ),
  }
}

/** An address with its password covered; it is for who edits it. */
export const coveredUrl = (url: string): string => url.replace(/(\/\/[^:/@?#]*):[^/@?#]*@/, '$1:•••@')

/** The label of a webhook in lists: its name or URL. */
export const nameOf = (hook: Pick<Hook, 'name' | 'url'>): string => hook.name || coveredUrl(hook.url)

/** The state of a webhook as a word and a sentence. */
export const stateOf = (hook: Pick<Hook, 'alert_status'>) =>
  ({
    executable: { word: t('webhooks.on'), tone: 'ok', text: null },
    temporarily_disabled: {
      word: t('webhooks.delayed'),
      tone: 'warn',
      text: t('webhooks.too_many_failures_in_a_row_disabled'),
    },
    disabled: {
      word: t('webhooks.off'),
      tone: 'bad',
      text: t('webhooks.too_many_client_errors_in_a_row'),
    },
  })[hook.alert_status] as { word: string; tone: 'ok' | 'warn' | 'bad'; text: string | null }
