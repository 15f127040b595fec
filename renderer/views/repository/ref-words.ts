import type { RefKind } from './useRefActions.ts'
import { t } from '../../locales/t.ts'

/** The words for branches and tags. */
export const REF_WORDS: Record<
  RefKind,
  {
    one: string
    search: string
    create: string
    remove: string
    none: { title: string; text: string }
    example: string
  }
> = {
  branch: {
    one: t('repository.branch'),
    search: t('repository.search_branches'),
    create: t('repository.new_branch_2'),
    remove: t('repository.delete_branch'),
    none: { title: t('repository.no_branches_yet'), text: t('repository.the_first_push_creates_one') },
    example: 'feature/read-ahead',
  },
  tag: {
    one: t('repository.tag'),
    search: t('repository.search_tags'),
    create: t('repository.new_tag_2'),
    remove: t('repository.delete_tag'),
    none: { title: t('repository.no_tags_yet'), text: t('repository.tags_mark_commits_with_a_permanent') },
    example: 'v1.0.0',
  },
}
