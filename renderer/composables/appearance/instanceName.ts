import { ref } from 'vue'

const PRODUCT = 'Deskforge'

/** The name of the instance in window titles: set by an administrator, or the product name. */
export const instanceName = ref(PRODUCT)

/** Names the instance; an empty name is none. */
export const nameInstance = (title: string) => {
  instanceName.value = title.trim() || PRODUCT
}
