import { computed } from 'vue'
import type { Branch, Commit, Tag } from '../../api/schema.gen.ts'
import { usePage, type Paged } from '../../api/usePage.ts'
import { useProject } from '../../composables/useProject.ts'
import type { RefKind } from './useRefActions.ts'
import type { RefOrder } from './useRefsList.ts'

/** A branch or a tag as a row of its list. */
export type RefItem = {
  name: string
  commit: Commit | null
  /** The target of the ref; for an annotated tag without a commit, the object itself. */
  sha: string
  isDefault: boolean
  isProtected: boolean
  isMerged: boolean
  /** First line of the message of an annotated tag. */
  message: string
  /** A tag that was released. */
  hasRelease: boolean
}

type ListParams = { id: number; search?: string | undefined; page: number; per_page: number }

const ofBranch = (branch: Branch): RefItem => ({
  name: branch.name,
  commit: branch.commit,
  sha: branch.commit.id,
  isDefault: branch.default,
  isProtected: branch.protected,
  isMerged: branch.merged && !branch.default,
  message: '',
  hasRelease: false,
})

const ofTag = (tag: Tag): RefItem => ({
  name: tag.name,
  commit: tag.commit,
  sha: tag.commit?.id ?? tag.target,
  isDefault: false,
  isProtected: tag.protected,
  isMerged: false,
  message: tag.message?.split('\n')[0] ?? '',
  hasRelease: tag.release !== null,
})

/** One page of the branches or of the tags; the two lists differ in nothing but what they ask for. */
export const useRefItems = (
  kind: RefKind,
  params: () => ListParams,
  order: () => RefOrder,
): Paged<RefItem> => {
  const project = useProject()
  const asked = <T>(wanted: boolean, build: () => T) => (wanted && !project.value.empty_repo ? build() : null)
  const branches = usePage('GET /projects/:id/repository/branches', () =>
    asked(kind === 'branch', () => ({
      ...params(),
      sort: order() === 'name' ? ('name_asc' as const) : ('updated_desc' as const),
    })),
  )
  const tags = usePage('GET /projects/:id/repository/tags', () =>
    asked(kind === 'tag', () => ({
      ...params(),
      order_by: order(),
      sort: order() === 'name' ? ('asc' as const) : ('desc' as const),
    })),
  )
  const source = kind === 'branch' ? branches : tags
  const items = computed(() =>
    kind === 'branch' ? branches.items.value.map(ofBranch) : tags.items.value.map(ofTag),
  )
  return { ...source, items } as unknown as Paged<RefItem>
}
