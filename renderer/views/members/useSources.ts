import { computed, type Ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Member } from '../../api/types.ts'
import { useAnswer } from '../../api/useAnswer.ts'
import { AT, type MemberOwner } from './owner.ts'

/** The source of a membership: direct, inherited from an ancestor group, or from an invited group. */
export type Source = { kind: 'direct' } | { kind: 'above' | 'invited'; full_path: string; name: string }

type Origin = Extract<Source, { full_path: string }> & {
  endpoint: 'GET /groups/:id/members' | 'GET /groups/:id/members/all'
}

const originsOf = (owner: MemberOwner): Origin[] => [
  ...owner.above.map((path) => ({
    kind: 'above' as const,
    full_path: path,
    name: path,
    endpoint: 'GET /groups/:id/members' as const,
  })),
  ...owner.invited.map((group) => ({
    kind: 'invited' as const,
    full_path: group.group_full_path,
    name: group.group_name,
    endpoint: 'GET /groups/:id/members/all' as const,
  })),
]

/** A group that the user cannot read has no members here; they are shown without their source. */
const membersOf = async (origin: Origin, ids: number[]) => {
  const found = await api(origin.endpoint, { id: origin.full_path, user_ids: ids, per_page: 100 }).catch(
    () => [],
  )
  return new Map(found.map((member) => [member.id, member.access_level]))
}

/**
 * Returns the source of each membership on one page. The list of all members does not contain it, so the project or group,
 * its parent groups and the invited groups are queried for these users: one request each.
 */
export const useSources = (owner: Ref<MemberOwner>, members: Ref<readonly Member[]>) => {
  const query = useAnswer<Map<number, Source>>(
    () => {
      const at = owner.value
      const ids = members.value.map((member) => member.id)
      if (ids.length === 0) return null
      const levels = members.value.map((member) => member.access_level)
      // A group that was invited a moment ago can arrive after its members.
      const origins = [...at.above, ...at.invited.map((group) => group.group_full_path)]
      return {
        key: ['member sources', at.kind, at.id, origins.join(), ids.join(), levels.join()],
        load: () => sourcesOf(at, ids),
      }
    },
    // While they are requested again the former answer stays: without it each row would lose its menu, an open one too.
    { staleTime: 0, keepPrevious: true },
  )
  return computed(() => query.data.value ?? new Map<number, Source>())
}

const sourcesOf = async (owner: MemberOwner, ids: number[]) => {
  const direct = api(AT[owner.kind].direct, { id: owner.id, user_ids: ids, per_page: 100 })
  const origins = originsOf(owner)
  const [own, ...others] = await Promise.all([direct, ...origins.map((origin) => membersOf(origin, ids))])
  const isDirect = new Set(own.map((member) => member.id))
  return new Map<number, Source>(
    ids.flatMap((id): [number, Source][] => {
      if (isDirect.has(id)) return [[id, { kind: 'direct' }]]
      const origin = origins[others.findIndex((found) => found.has(id))]
      return origin ? [[id, { kind: origin.kind, full_path: origin.full_path, name: origin.name }]] : []
    }),
  )
}
