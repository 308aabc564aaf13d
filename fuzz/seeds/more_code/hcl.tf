mP7
# The server.
resource "aws_instance" "web" {
  ami = "x"
}
