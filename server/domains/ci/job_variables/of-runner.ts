import { plain, texts, type Item } from './item.ts'

/** What is told of the runner that took a job. */
export interface RunnerOfVariables {
  readonly id: number
  readonly description: string | null
  /** Names of its tags, a JSON array. */
  readonly tag_list: string
}

/** What the server says of the runner; its version and executor it says itself. */
export function ofRunner({ id, description, tag_list }: RunnerOfVariables): Item[] {
  const tags = JSON.parse(tag_list) as string[]
  return [
    ...plain({ CI_RUNNER_ID: id }),
    ...texts({ CI_RUNNER_DESCRIPTION: description ?? '' }),
    ...plain({ CI_RUNNER_TAGS: tags.join(', ') }),
  ]
}
