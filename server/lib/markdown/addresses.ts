/** Where the relative addresses of a text lead. */
export interface Addresses {
  link(address: string): string
  picture(address: string): string
}
