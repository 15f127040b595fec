import { ref } from 'vue'

const PRODUCT = 'Deskforge'

/** What the instance is called in the titles of the window: as its administrator named it, else as the product. */
export const instanceName = ref(PRODUCT)

/** Names the instance; an empty name is none. */
export const nameInstance = (title: string) => {
  instanceName.value = title.trim() || PRODUCT
}
