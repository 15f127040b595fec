import type { CompiledJob } from '../job.ts'
import { isHash, isInteger, isList, textOf, type Hash, type Value } from '../values.ts'
import type { Variable } from '../variables.ts'

type Copy = Pick<CompiledJob, 'name' | 'parallel'>

/** The jobs that one becomes by `parallel` (spec ci 4.12). */
export function copiesOf(name: string, parallel: Value | undefined): Copy[] {
  if (isInteger(parallel)) {
    const total = Number(parallel)
    return Array.from({ length: total }, (_, at) => ({
      name: `${name} ${at + 1}/${total}`,
      parallel: { index: at + 1, total, matrix: [] },
    }))
  }
  const matrix = isHash(parallel) ? parallel.get('matrix') : undefined
  if (!isList(matrix)) return [{ name, parallel: null }]
  const sets = matrix.filter(isHash).flatMap(combinations)
  return sets.map((set, at) => ({
    name: `${name}: [${set.map(({ value }) => value).join(', ')}]`,
    parallel: { index: at + 1, total: sets.length, matrix: set },
  }))
}

function combinations(entry: Hash): Variable[][] {
  return [...entry].reduce<Variable[][]>(
    (sets, [key, value]) => {
      const values = isList(value) ? value : [value]
      return sets.flatMap((set) => values.map((one) => [...set, { key, value: textOf(one) }]))
    },
    [[]],
  )
}
