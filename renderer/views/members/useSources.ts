import { useQuery } from '@pinia/colada'
import { computed, type Ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Member } from '../../api/types.ts'
import { AT, type MemberPlace } from './place.ts'

/** The source of a membership: direct, inherited from an ancestor group, or from an invited group. */
export type Source = { kind: 'direct' } | { kind: 'above' | 'invited'; full_path: string; name: string }

type Origin = Extract<Source, { full_path: string }> & {
  endpoint: 'GET /groups/:id/members' | 'GET /groups/:id/members/all'
}

const originsOf = (place: MemberPlace): Origin[] => [
  ...place.above.map((path) => ({
    kind: 'above' as const,
    full_path: path,
    name: path,
    endpoint: 'GET /groups/:id/members' as const,
  })),
  ...place.invited.map((group) => ({
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
export const useSources = (place: Ref<MemberPlace>, members: Ref<readonly Member[]>) => {
  const ids = computed(() => members.value.map((member) => member.id))
  const query = useQuery({
    key: () => [
      'member sources',
      place.value.kind,
      place.value.id,
      // A group that was invited a moment ago can arrive after its members.
      [...place.value.above, ...place.value.invited.map((group) => group.group_full_path)].join(','),
      ids.value.join(','),
      members.value.map((one) => one.access_level).join(','),
    ],
    enabled: () => ids.value.length > 0,
    query: async () => {
      const direct = api(AT[place.value.kind].direct, {
        id: place.value.id,
        user_ids: ids.value,
        per_page: 100,
      })
      const origins = originsOf(place.value)
      const [own, ...others] = await Promise.all([
        direct,
        ...origins.map((origin) => membersOf(origin, ids.value)),
      ])
      const isDirect = new Set(own.map((member) => member.id))
      return new Map<number, Source>(
        ids.value.flatMap((id): [number, Source][] => {
          if (isDirect.has(id)) return [[id, { kind: 'direct' }]]
          const at = others.findIndex((found) => found.has(id))
          const origin = origins[at]
          return origin ? [[id, { kind: origin.kind, full_path: origin.full_path, name: origin.name }]] : []
        }),
      )
    },
    staleTime: 0,
    // While they are requested again the former answer stays: without it each row would lose its menu, an open one too.
    placeholderData: (previous: unknown) => previous as never,
  })
  return computed(() => (query.data.value as Map<number, Source> | undefined) ?? new Map<number, Source>())
}
