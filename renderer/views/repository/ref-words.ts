import type { RefKind } from './useRefActions.ts'

/** The words for branches and tags. */
export const REF_WORDS: Record<
  RefKind,
  {
    one: string
    many: string
    create: string
    remove: string
    none: { title: string; text: string }
    example: string
  }
> = {
  branch: {
    one: 'branch',
    many: 'branches',
    create: 'New branch',
    remove: 'Delete branch',
    none: { title: 'No branches yet', text: 'The first push makes one.' },
    example: 'feature/read-ahead',
  },
  tag: {
    one: 'tag',
    many: 'tags',
    create: 'New tag',
    remove: 'Delete tag',
    none: { title: 'No tags yet', text: 'A tag gives a commit a lasting name, such as v1.0.0.' },
    example: 'v1.0.0',
  },
}
