import { computed } from 'vue'
import { api } from './client.ts'
import { useApi } from './useApi.ts'

type BranchName = { id: number; name: string }

/** A list with one name instead of the branch itself: browsers log a request for something missing as an error. */
const paramsOf = ({ id, name }: BranchName) => ({
  id,
  regex: `^${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`,
})

/** Returns the branch of this name, or undefined if there is none. */
export const findBranch = async (of: BranchName) =>
  (await api('GET /projects/:id/repository/branches', paramsOf(of)))[0]

/** The branch of this name; `isMissing` once it is known that there is none. */
export const useBranch = (of: () => BranchName | null) => {
  const found = useApi('GET /projects/:id/repository/branches', () => {
    const wanted = of()
    return wanted && paramsOf(wanted)
  })
  return {
    data: computed(() => found.data.value?.[0]),
    isMissing: computed(() => found.data.value?.length === 0),
    isPending: found.isPending,
    error: found.error,
  }
}
