import { computed } from 'vue'
import { useLocalStorage } from '@vueuse/core'
import type { MemberOwner } from './owner.ts'

/** Stores requests for access in this window, because only managers can list them. */
export const useAsked = (owner: () => Pick<MemberOwner, 'kind' | 'id'>) => {
  const asked = useLocalStorage<string[]>('deskforge.asked', [])
  const key = () => `${owner().kind}:${owner().id}`
  return computed({
    get: () => asked.value.includes(key()),
    set: (is: boolean) => {
      const others = asked.value.filter((one) => one !== key())
      asked.value = is ? [...others, key()] : others
    },
  })
}
