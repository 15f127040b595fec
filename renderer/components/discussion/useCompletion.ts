import { refDebounced } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { api } from '../../api/client.ts'
import { ACTIONS, quoted, type Offer, type Wanted } from './completion.ts'
import { EMOJI } from './emoji.ts'
import type { DiscussionTarget } from './target.ts'

const SHOWN = 8
const SETTLE_MS = 90

/** The project that provides users, issues and labels for completion. */
export type CompletionTarget = { id: number; kind?: DiscussionTarget['kind'] }

type Search = (target: CompletionTarget, text: string) => Promise<Offer[]> | Offer[]

const starts = (name: string, text: string) => name.toLowerCase().includes(text.toLowerCase())

const SEARCHES: Record<Wanted['sign'], Search> = {
  '@': async ({ id }, search) => {
    const users = await api('GET /projects/:id/users', { id, search: search || undefined, per_page: SHOWN })
    return users.map((user) => ({
      insert: `@${user.username}`,
      label: user.name,
      note: `@${user.username}`,
      person: true,
      picture: user.avatar_url,
    }))
  },
  '#': async ({ id }, text) => {
    const asked = /^\d+$/.test(text) ? { iids: [Number(text)] } : { search: text || undefined }
    const issues = await api('GET /projects/:id/issues', { id, ...asked, state: 'opened', per_page: SHOWN })
    return issues.map((one) => ({ insert: `#${one.iid}`, label: one.title, note: `#${one.iid}` }))
  },
  '!': async ({ id }, text) => {
    const asked = /^\d+$/.test(text) ? { iids: [Number(text)] } : { search: text || undefined }
    const found = await api('GET /projects/:id/merge_requests', { id, ...asked, per_page: SHOWN })
    return found.map((one) => ({ insert: `!${one.iid}`, label: one.title, note: `!${one.iid}` }))
  },
  '~': async ({ id }, search) => {
    const labels = await api('GET /projects/:id/labels', { id, search: search || undefined, per_page: SHOWN })
    return labels.map((one) => ({ insert: quoted('~', one.name), label: one.name, colour: one.color }))
  },
  '%': async ({ id }, search) => {
    const found = await api('GET /projects/:id/milestones', {
      id,
      search: search || undefined,
      state: 'active',
      include_parent_milestones: true,
      per_page: SHOWN,
    })
    return found.map((one) => ({ insert: quoted('%', one.title), label: one.title }))
  },
  ':': (_, text) =>
    Object.entries(EMOJI)
      .filter(([name]) => starts(name, text))
      .slice(0, SHOWN)
      .map(([name, sign]) => ({ insert: `:${name}:`, label: `${sign} ${name}` })),
  '/': ({ kind }, text) =>
    ACTIONS.filter((one) => (one.on === 'both' || one.on === kind) && one.name.startsWith(text))
      .slice(0, SHOWN)
      .map((one) => ({ insert: `/${one.name}`, label: `/${one.name}`, note: one.help })),
}

/** Completions of the word at the caret, from the cache or the server. */
export const useCompletion = (target: () => CompletionTarget) => {
  const wanted = ref<Wanted | null>(null)
  const asked = refDebounced(wanted, SETTLE_MS)
  const offers = ref<Offer[]>([])
  const at = ref(0)
  let turn = 0
  watch(asked, async (now) => {
    const mine = ++turn
    if (!now) {
      offers.value = []
      return
    }
    const found = await Promise.resolve(SEARCHES[now.sign](target(), now.text)).catch(() => [])
    if (mine !== turn) return
    offers.value = found
    at.value = 0
  })
  watch(wanted, (now) => {
    if (!now) offers.value = []
  })
  return {
    wanted,
    at,
    offers: computed(() => (wanted.value ? offers.value : [])),
    move: (by: number) => {
      at.value = (at.value + by + offers.value.length) % Math.max(1, offers.value.length)
    },
    close: () => {
      wanted.value = null
    },
  }
}
