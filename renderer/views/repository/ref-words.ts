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
    search: t('repository.find_a_branch'),
    create: t('repository.new_branch_2'),
    remove: t('repository.delete_branch'),
    none: { title: t('repository.no_branches_yet'), text: t('repository.the_first_push_makes_one') },
    example: 'feature/read-ahead',
  },
  tag: {
    one: t('repository.tag'),
    search: t('repository.find_a_tag'),
    create: t('repository.new_tag_2'),
    remove: t('repository.delete_tag'),
    none: { title: t('repository.no_tags_yet'), text: t('repository.a_tag_gives_a_commit_a_lasting_name') },
    example: 'v1.0.0',
  },
}
