/** Resolves the relative addresses of a text. */
export interface Addresses {
  link(address: string): string
  picture(address: string): string
}
